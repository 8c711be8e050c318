/**
 * Checks whether the time of a refusal reveals which part of a guessed key was right, and what a refusal costs.
 *
 * Judges pairs of guesses in random order in this process, and compares their times by Welch's t, without the slowest
 * twentieth of both (garbage collections). |t| of 4.5 or more is a difference (the bound of dudect). Exit code 1 if
 * there is a difference, or if a refusal uses more than 50 µs of processor time.
 */
import { randomBytes } from 'node:crypto';

const SAMPLES = 20_000;
const ROUNDS = 3;
const MOST_T = 4.5;
const MOST_MICROSECONDS = 50;

const load = (path) => import(new URL(`../dist/platform/auth/${path}`, import.meta.url).href);
const { generateApiKey } = await load('api-key.js');
const { ApiKeyCache } = await load('api-key.cache.js');
const { Authenticator } = await load('authenticator.js');

const ID = 'known000';
const known = generateApiKey('test', ID);
let queries = 0;
const stored = { id: ID, client: 'acme', hash: known.hash, scopes: ['*'], expiresAt: undefined, revokedAt: undefined };
const find = async (ids) => {
  queries += 1;
  return ids.includes(ID) ? [stored] : [];
};
const cache = new ApiKeyCache(find, 3_600_000);
const authenticator = new Authenticator(cache, undefined, { note: () => undefined }, { now: () => Date.now() });
const judge = (headers) => authenticator.authenticate(headers);
const bearing = (key) => ['Host', 'store', 'Authorization', `Bearer ${key}`];

const guesses = {
  unknown: bearing(generateApiKey('test', 'unknown0').text),
  mismatch: bearing(generateApiKey('test', ID).text),
  malformed: bearing(randomBytes(40).toString('hex').slice(0, known.text.length)),
};
await Promise.all(Object.values(guesses).map(judge));

function welch(left, right) {
  const cut = [...left, ...right].sort((a, b) => a - b)[Math.floor(0.95 * (left.length + right.length))];
  const [a, b] = [left, right].map((times) => moments(times.filter((time) => time <= cut)));
  return (a.mean - b.mean) / Math.sqrt(a.variance / a.count + b.variance / b.count);
}

function moments(times) {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1);
  return { mean, variance, count: times.length };
}

function measure(pair) {
  const times = pair.map(() => []);
  for (let i = 0; i < 2 * SAMPLES; i++) {
    const which = Math.random() < 0.5 ? 0 : 1;
    const start = process.hrtime.bigint();
    judge(pair[which]);
    times[which].push(Number(process.hrtime.bigint() - start));
  }
  return welch(...times);
}

function cost(headers) {
  const start = process.cpuUsage();
  for (let i = 0; i < SAMPLES; i++) judge(headers);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / SAMPLES;
}

let failed = false;
const report = (line, wrong) => {
  failed ||= wrong;
  console.log(`${wrong ? 'FAILED' : 'ok    '} ${line}`);
};

measure([guesses.unknown, guesses.mismatch]);
// Noise appears in some rounds, a real difference in all of them.
const ts = Array.from({ length: ROUNDS }, () => measure([guesses.mismatch, guesses.unknown]));
const least = Math.min(...ts.map(Math.abs));
report(`known id against unknown id: |t| = ${ts.map((t) => Math.abs(t).toFixed(2)).join(', ')}`, least >= MOST_T);

const before = queries;
for (const [name, headers] of Object.entries(guesses)) {
  const microseconds = cost(headers);
  report(`${name}: ${microseconds.toFixed(1)} µs of processor time a refusal`, microseconds > MOST_MICROSECONDS);
}
report(`${queries - before} database queries for ${3 * SAMPLES} refusals of remembered ids`, queries !== before);
process.exitCode = failed ? 1 : 0;
