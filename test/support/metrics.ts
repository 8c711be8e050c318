import { HttpClient } from './http.js';

/** The sum of all series of one metric on the management port whose labels contain `labels`; 0 if there is none. */
export async function metricValue(managementUrl: string, name: string, labels = ''): Promise<number> {
  const { text } = await new HttpClient(managementUrl).get('/metrics');
  return text
    .split('\n')
    .filter((line) => new RegExp(`^${name}[{ ]`).test(line) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
