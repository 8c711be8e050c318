import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(scrypt) as (password: string, salt: string, length: number) => Promise<Buffer>;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex');
  const key = await derive(password, salt, 32);
  return `${salt}:${key.toString('hex')}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':');
  return timingSafeEqual(await derive(password, salt, 32), Buffer.from(key, 'hex'));
}
