import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { CertificateAuthority } from '../support/certificates.js';
import { Collector } from '../support/collector.js';
import { type Environment, PATIENT } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { findProgram } from '../support/programs.js';
import { Redis } from '../support/redis.js';
import { type LogLine, Service } from '../support/service.js';

const canRun = findProgram('redis-server') !== undefined && findProgram('openssl') !== undefined;

/** The chart's `certificateAuthorities` sets NODE_EXTRA_CA_CERTS in a container. */
(canRun ? describe : describe.skip)('an authority of the cluster itself', () => {
  let authority: CertificateAuthority;
  let redis: Redis;
  let collector: Collector;
  let database: TestDatabase;

  beforeAll(async () => {
    authority = new CertificateAuthority();
    redis = await Redis.start(authority);
    collector = await Collector.start({ tls: authority.issue('IP:127.0.0.1') });
    database = await createSqliteDatabase();
  });

  afterAll(async () => {
    await redis.stop();
    await collector.stop();
    await database.drop();
    authority.remove();
  });

  /** Starts a service and sends one request, which both Redis and the collector would notice. */
  async function answering(env: Environment): Promise<Service> {
    const service = await Service.start({
      database,
      env: {
        ...PATIENT,
        REDIS_URL: redis.url,
        RATE_LIMIT_PER_MINUTE: '1000',
        OTEL_SDK_DISABLED: 'false',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '100',
        ...env,
      },
    });
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.get('/v1/pets')).status).toBe(200);
    return service;
  }

  it('is trusted by the client of Redis and the exporter of spans', async () => {
    const service = await answering({ NODE_EXTRA_CA_CERTS: authority.certificate });
    const client = new HttpClient(service.url, await storeKey(database));
    const counted = async (): Promise<string[]> => (await redis.keys()).filter((name) => !name.includes(':probe'));
    for (; (await counted()).length === 0; await sleep(50)) await client.get('/v1/pets');
    while (collector.exports.length === 0) await sleep(50);
    await service.stop();
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    expect(service.log.filter(({ event }) => event === 'tracing.unavailable')).toEqual([]);
  });

  it('is not trusted if it is another one, or not configured: the service answers, and logs what it does not trust', async () => {
    const stranger = new CertificateAuthority();
    for (const env of [{ NODE_EXTRA_CA_CERTS: stranger.certificate }, {}]) {
      const sent = collector.exports.length;
      let service = await answering(env);
      let local = await service.untilLogged(isLocal);
      // On a busy machine the TLS handshake may take longer than the connection timeout of Redis.
      while (JSON.stringify(local).includes('Connection timeout')) {
        await service.stop();
        service = await answering(env);
        local = await service.untilLogged(isLocal);
      }
      const lost = await service.untilLogged(({ event }) => event === 'tracing.unavailable');
      expect(local).toMatchObject({ host: new URL(redis.url).host, err: { code: expect.stringMatching(UNTRUSTED) } });
      expect(lost).toMatchObject({ host: new URL(collector.url).host, cause: expect.stringMatching(UNTRUSTED) });
      await service.stop();
      expect(collector.exports).toHaveLength(sent);
    }
    stranger.remove();
  });

  it('is trusted for spans alone where OTEL_EXPORTER_OTLP_CERTIFICATE names it', async () => {
    const sent = collector.exports.length;
    const service = await answering({ OTEL_EXPORTER_OTLP_CERTIFICATE: authority.certificate });
    while (collector.exports.length === sent) await sleep(50);
    await service.untilLogged(({ event }) => event === 'limits.local');
    await service.stop();
  });
});

const isLocal = ({ event }: LogLine): boolean => event === 'limits.local';
const UNTRUSTED = /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)$/;
