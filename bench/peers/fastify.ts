/** A framework known for speed: Fastify, with a schema for every request and response, and mysql2. */
import Fastify from 'fastify';
import mysql, { type ResultSetHeader, type RowDataPacket } from 'mysql2/promise';

interface PetQuery {
  readonly limit: number;
  readonly cursor: string;
  readonly status?: string;
}

interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

const status = { type: 'string', enum: ['available', 'pending', 'sold'] } as const;
const name = { type: 'string', minLength: 1, maxLength: 255 } as const;
const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId', 'status'],
  properties: { id: { type: 'integer' }, name, categoryId: { type: 'integer' }, status },
} as const;
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  additionalProperties: false,
  properties: { name, categoryId: { type: 'integer' }, status: { ...status, default: 'available' } },
} as const;
const petQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    cursor: { type: 'string', pattern: '^\\d+$', default: '0' },
    status,
  },
} as const;
const petParams = { type: 'object', properties: { petId: { type: 'string', pattern: '^\\d+$' } } } as const;

const SELECT = 'SELECT id, name, category_id AS categoryId, status FROM pet';

const pool = mysql.createPool({ uri: process.env['DATABASE_URL'] ?? '', connectionLimit: 10 });
const fastify = Fastify();

fastify.get<{ Querystring: PetQuery }>(
  '/v1/pets',
  { schema: { querystring: petQuery, response: { 200: { type: 'array', items: pet } } } },
  async ({ query }, reply) => {
    const page = [query.cursor, String(query.limit + 1)];
    const [rows] = await (query.status === undefined
      ? pool.execute<RowDataPacket[]>(`${SELECT} WHERE id > ? ORDER BY id LIMIT ?`, page)
      : pool.execute<RowDataPacket[]>(`${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`, [
          query.status,
          ...page,
        ]));
    const items = rows.slice(0, query.limit);
    if (rows.length > query.limit) {
      const next = new URLSearchParams({ ...query, limit: String(query.limit), cursor: String(items.at(-1)?.['id']) });
      reply.header('Link', `</v1/pets?${next.toString()}>; rel="next"`);
    }
    return items;
  },
);

fastify.get<{ Params: { petId: string } }>(
  '/v1/pets/:petId',
  { schema: { params: petParams, response: { 200: pet } } },
  async ({ params }, reply) => {
    const [rows] = await pool.execute<RowDataPacket[]>(`${SELECT} WHERE id = ?`, [params.petId]);
    return rows[0] ?? reply.code(404).send({ message: 'There is no pet with this id' });
  },
);

fastify.post<{ Body: NewPet }>(
  '/v1/pets',
  { schema: { body: newPet, response: { 201: pet } } },
  async ({ body }, reply) => {
    const [{ insertId }] = await pool.execute<ResultSetHeader>(
      'INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)',
      [body.name, body.categoryId, body.status],
    );
    return reply.code(201).send({ id: insertId, ...body });
  },
);

await fastify.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
