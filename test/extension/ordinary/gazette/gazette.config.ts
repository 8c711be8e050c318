import { registerAs } from '@nestjs/config';

export const gazetteConfig = registerAs('gazette', () => ({
  secret: process.env['GAZETTE_SECRET'] ?? 'only-for-development',
  sessionSeconds: Number(process.env['GAZETTE_SESSION_SECONDS'] ?? 3600),
}));
