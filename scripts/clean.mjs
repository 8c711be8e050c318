// An output folder may hold what a renamed source left behind, so each build starts from none.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
