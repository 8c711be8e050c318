import assert from 'node:assert/strict';
import { randomFrom, type Case, type Request } from './scenarios.ts';
import type { RunningService } from './services.ts';

/** The number of requests that are compared for each scenario. */
const COMPARED = 40;

/**
 * Checks that all services do the same work.
 *
 * @throws {AssertionError} if a service's status or body differs from that of the first. Ids of created pets may
 * differ.
 */
export async function requireSameAnswers(
  services: readonly RunningService[],
  scenario: Case,
  pets: number,
): Promise<void> {
  for (let at = 0; at < COMPARED; at += 1) {
    const answers = await Promise.all(services.map((service) => answerOf(service, scenario, pets, at)));
    for (const [index, answer] of answers.entries()) {
      const { title } = (services[index] as RunningService).program;
      assert.deepEqual(answer, answers[0], `${title} answers ${scenario.title} differently`);
    }
  }
}

async function answerOf(service: RunningService, scenario: Case, pets: number, at: number): Promise<object> {
  const requests = scenario.requests(service, pets, randomFrom(0));
  const { method, body, path, headers } = requests[at % requests.length] as Request;
  const answer = await fetch(service.origin + path, {
    method,
    ...(body !== undefined && { body }),
    headers: { ...service.headersOf(0), ...headers },
  });
  const value = (await answer.json()) as object;
  // Each service words its errors differently.
  if (!answer.ok) return { status: answer.status };
  return {
    status: answer.status,
    more: answer.headers.get('link')?.includes('rel="next"') ?? false,
    value: method === 'POST' ? { ...value, id: 'new' } : value,
  };
}
