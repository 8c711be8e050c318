/** Absolute addresses as clients know them: from the configured public base URL, never from a Host header. */
export class PublicUrls {
  private listeningBase = 'http://localhost/v1';

  /** @param configuredBase PUBLIC_BASE_URL: absolute, ends in `/v1`; undefined where none is configured. */
  constructor(private readonly configuredBase: string | undefined) {}

  /** To be called once the port is known. Without a configured public base it is `http://localhost:PORT/v1`. */
  listeningOn(port: number): void {
    this.listeningBase = `http://localhost:${port}/v1`;
  }

  /** Ends in `/v1`, without a trailing slash. */
  get base(): string {
    return this.configuredBase ?? this.listeningBase;
  }

  /** The address of the Swagger UI page. */
  get docs(): string {
    return `${this.base.slice(0, -'/v1'.length)}/docs`;
  }

  /** The address of a path as routes have it: `/v1/pets` → `BASE/pets`. */
  of(path: string): string {
    return this.base + path.slice('/v1'.length);
  }
}
