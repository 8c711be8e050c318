/** Who a request comes from, once its key is accepted. */
export interface Principal {
  /** The key's public id, 8 characters; safe to log. */
  readonly keyId: string;
  /** The client that the key was made for. Several keys may belong to one client. */
  readonly client: string;
  /** What the key may do; `*` is everything. */
  readonly scopes: readonly string[];
}
