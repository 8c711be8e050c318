import { expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { type Engine, onEachEngine, onMysql } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const COLUMNS = 'id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(255) NOT NULL, status VARCHAR(16) NOT NULL';

/** Changes the type of the column, and keeps its values. */
async function retype({ name }: Engine, database: TestDatabase, type: string): Promise<void> {
  if (name === 'mysql') await database.query(`ALTER TABLE pet MODIFY category_id ${type} NOT NULL`);
  else {
    await database.query(`CREATE TABLE other (${COLUMNS}, category_id ${type} NOT NULL)`);
    await database.query(
      'INSERT INTO other (id, name, status, category_id) SELECT id, name, status, category_id FROM pet',
    );
    await database.query('DROP TABLE pet');
    await database.query('ALTER TABLE other RENAME TO pet');
  }
}

onEachEngine('a table that somebody changed', (engine) => {
  it.each(['VARCHAR(30)', 'DECIMAL(20,0)'])(
    'whose BIGINT is now %s leaves the service unready, which names it, and is used once it is back',
    async (type) => {
      const database = await engine.createDatabase();
      await (await Service.start({ database })).stop();
      await retype(engine, database, type);
      const service = Service.launch({ database });
      const line = await service.untilLogged(({ event }) => event === 'db.schema_differs');
      expect(line).toMatchObject({
        level: 'error',
        differences: [`Column pet.category_id is ${type.toLowerCase()}, the entity says bigint`],
      });
      await retype(engine, database, 'BIGINT');
      const ready = await service.untilLogged(({ event }) => event === 'app.ready');
      const client = new HttpClient(String(ready['url']), await storeKey(database));
      expect((await client.post('/v1/pets', { name: 'After', categoryId: 1 })).status).toBe(201);
      expect(service.log.filter(({ event }) => event === 'db.schema_differs')).toHaveLength(1);
      await service.stop();
      await database.drop();
    },
    60_000,
  );
});

onMysql('a table whose writes are no part of a transaction', (engine) => {
  it('leaves the service unready, which names it', async () => {
    const database = await engine.createDatabase();
    await (await Service.start({ database })).stop();
    await database.query('ALTER TABLE idempotency_record ENGINE = MyISAM');
    const service = Service.launch({ database });
    const line = await service.untilLogged(({ event }) => event === 'db.schema_differs');
    expect(JSON.stringify(line['differences'])).toContain('idempotency_record.id is in a table of MyISAM, not InnoDB');
    await service.stop();
    await database.drop();
  });
});
