import { closest, distance } from 'fastest-levenshtein';
import { fileSuffix } from './environment.js';

/** First words that none but this service's variables are likely to begin with. */
const ownPrefix =
  /^(API_KEYS?|AUTH_FAILURES?|CORS|DATABASE|DOCS|HTTP|LIVENESS|LOG|MANAGEMENT|METRICS|MIGRATIONS?|RATE_LIMIT|READINESS|SHED|SHUTDOWN)_/;

/**
 * A warning for each variable that looks like one of the service's own and is none: by its first word, or because it
 * is a letter or two away from a known name.
 */
export function warnOfUnknown(env: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const accepted = [...known, ...known.map((name) => name + fileSuffix)];
  return Object.keys(env)
    .filter((name) => /^\w+$/.test(name) && !accepted.includes(name) && !isForeign(name, env[name] ?? ''))
    .sort()
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase(), accepted);
      if (meant !== undefined) return [`${name} is not a known variable. Is ${meant} meant?`];
      return ownPrefix.test(name) ? [`${name} is not a known variable.`] : [];
    });
}

/** The known name that is a letter or two away; one letter for short names, since others are like them (HOST, HOME). */
function nearest(name: string, known: readonly string[]): string | undefined {
  const allowed = name.length < 6 ? 1 : 2;
  const ofLikeLength = known.filter((candidate) => Math.abs(candidate.length - name.length) <= allowed);
  const likely = ofLikeLength.length === 0 ? undefined : closest(name, ofLikeLength);
  return likely !== undefined && distance(name, likely) <= allowed ? likely : undefined;
}

/**
 * Variables of OpenTelemetry, the proxy of command line tools, also in lower case, and what Kubernetes sets in every pod
 * for a Service, of the name `database` for example.
 */
function isForeign(name: string, text: string): boolean {
  return (
    /^OTEL_|^HTTPS?_PROXY$/i.test(name) ||
    /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    (name.endsWith('_PORT') && text.includes('://'))
  );
}
