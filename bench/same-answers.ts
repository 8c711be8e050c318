import assert from 'node:assert/strict';
import { randomFrom, type Scenario } from './scenarios.ts';
import type { RunningService } from './services.ts';

/**
 * Makes sure that all services do the same job.
 *
 * @throws {AssertionError} where one answers another body or status than the first, the id of what is made aside.
 */
export async function requireSameAnswers(
  services: readonly RunningService[],
  scenario: Scenario,
  pets: number,
): Promise<void> {
  const answers = await Promise.all(services.map((service) => answerOf(service, scenario, pets)));
  for (const [index, answer] of answers.entries()) {
    const { title } = (services[index] as RunningService).program;
    assert.deepEqual(answer, answers[0], `${title} answers ${scenario.title} differently`);
  }
}

async function answerOf(service: RunningService, scenario: Scenario, pets: number): Promise<object> {
  const [request] = scenario.requests(service, pets, randomFrom(0));
  assert.ok(request);
  const { method, body, path, headers } = request;
  const answer = await fetch(service.origin + path, {
    method,
    ...(body !== undefined && { body }),
    headers: { ...service.headersOf(0), ...headers },
  });
  const value = (await answer.json()) as object;
  return {
    status: answer.status,
    more: answer.headers.get('link')?.includes('rel="next"') ?? false,
    value: scenario.writes === true ? { ...value, id: 'new' } : value,
  };
}
