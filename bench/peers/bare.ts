/** A minimal service: node:http and prepared statements of mysql2. It hardly validates its input. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import mysql, { type ResultSetHeader, type RowDataPacket } from 'mysql2';

interface NewPet {
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

const SELECT = 'SELECT id, name, category_id AS categoryId, status FROM pet';
const LIST = `${SELECT} WHERE id > ? ORDER BY id LIMIT ?`;
const LIST_BY_STATUS = `${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;
const GET = `${SELECT} WHERE id = ?`;
const INSERT = 'INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)';

const pool = mysql.createPool({ uri: process.env['DATABASE_URL'] ?? '', connectionLimit: 10 });

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const id = /^\/v1\/pets\/(\d+)$/.exec(url.pathname)?.[1];
  if (request.method === 'GET' && url.pathname === '/v1/pets') list(url, response);
  else if (request.method === 'GET' && id !== undefined) get(id, response);
  else if (request.method === 'POST' && url.pathname === '/v1/pets') create(request, response);
  else send(response, 404, { message: 'Not found' });
});

function list({ searchParams: query }: URL, response: ServerResponse): void {
  const limit = Number(query.get('limit') ?? 20);
  if (!(limit >= 1 && limit <= 100)) return send(response, 400, { message: 'limit is 1 to 100' });
  const after = query.get('cursor') ?? '0';
  const status = query.get('status');
  const page = [after, String(limit + 1)];
  const [sql, values] = status === null ? [LIST, page] : [LIST_BY_STATUS, [status, ...page]];
  pool.execute<RowDataPacket[]>(sql, values, (fault, rows) => {
    if (fault) return send(response, 500, { message: fault.message });
    const items = rows.slice(0, limit);
    if (rows.length > limit) {
      query.set('cursor', String(items.at(-1)?.['id']));
      response.setHeader('Link', `</v1/pets?${query.toString()}>; rel="next"`);
    }
    send(response, 200, items);
  });
}

function get(id: string, response: ServerResponse): void {
  pool.execute<RowDataPacket[]>(GET, [id], (fault, pets) => {
    if (fault) return send(response, 500, { message: fault.message });
    const [pet] = pets;
    if (pet === undefined) send(response, 404, { message: 'There is no pet with this id' });
    else send(response, 200, pet);
  });
}

function create(request: IncomingMessage, response: ServerResponse): void {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    const { name, categoryId, status = 'available' } = JSON.parse(text) as NewPet;
    if (typeof name !== 'string' || !Number.isInteger(categoryId)) return send(response, 400, { message: 'Bad pet' });
    pool.execute<ResultSetHeader>(INSERT, [name, categoryId, status], (fault, written) => {
      if (fault) send(response, 500, { message: fault.message });
      else send(response, 201, { id: written.insertId, name, categoryId, status });
    });
  });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

server.listen(Number(process.env['PORT']), '127.0.0.1');
