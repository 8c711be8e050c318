import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DataSource } from 'typeorm';

/**
 * Connects. The folder of an SQLite file is made here first: TypeORM would have Node make it, whose recursive `mkdir`
 * never ends below a folder that is there and takes no other, as /proc is.
 *
 * @throws what the driver or the file system says.
 */
export async function openDataSource(dataSource: DataSource): Promise<void> {
  const { options } = dataSource;
  if (options.type === 'better-sqlite3' && options.database !== ':memory:') {
    await makeFolder(dirname(resolve(options.database)));
  }
  await dataSource.initialize();
}

/** Where the parent is there by now and the folder still cannot be, that is the end. */
async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    // Also where it is no folder, which whoever opens the file in it tells; or another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
