import type { Route } from '../platform/routing/index.js';
import type { DocumentedOperation } from './documented-operation.js';
import { errorFaults } from './error-assertion.js';
import type { TestApplication } from './test-application.js';
import type { Sent, TestAnswer, TestClient } from './test-client.js';

/** One operation being tried: it sends the document's example, changed as a rule likes, and collects what is wrong. */
export class RouteTrial {
  readonly breaches: string[] = [];

  constructor(
    readonly application: TestApplication,
    readonly route: Route,
    readonly operation: DocumentedOperation,
  ) {}

  /** The document's example of a body; undefined for an operation without one. */
  get body(): Record<string, unknown> | undefined {
    return this.route.bodyType === undefined ? undefined : this.operation.bodyExample;
  }

  breach(fault: string): void {
    this.breaches.push(`${this.route.operationId}: ${fault}`);
  }

  /** @param query with its `?`. */
  async send(client: TestClient, sent: Sent & { readonly query?: string } = {}): Promise<TestAnswer> {
    const { query = '', ...rest } = sent;
    const body = 'body' in sent ? sent.body : this.body;
    const path = this.route.path.replace(/\{(\w+)\}/g, (_, name: string) => this.operation.pathExample(name));
    const answer = await client.request(this.route.method, path + query, { ...rest, body });
    if (!this.operation.statuses.has(answer.status)) this.breach(`answers ${answer.status}, which is not documented`);
    return answer;
  }

  /** Sends the same, and notes everything by which the answer is not that Error. */
  async refused(
    client: TestClient,
    [status, code]: readonly [status: number, code: string],
    when: string,
    sent?: Sent & { readonly query?: string },
  ): Promise<void> {
    const answer = await this.send(client, sent);
    const faults = this.route.method === 'HEAD' && answer.status === status ? [] : errorFaults(answer, status, code);
    for (const fault of faults) this.breach(`${when} is not ${status} ${code}: ${fault}`);
  }
}
