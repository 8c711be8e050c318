/** Another process, or connection, is writing to the file. */
const LOCK = /^SQLITE_(BUSY|LOCKED)/;

/** The file cannot be opened, read or written, for a reason that may pass: the disk takes no more, say. */
const DISK = /^SQLITE_(CANTOPEN|FULL|IOERR|PROTOCOL|READONLY)/;

/** It may not be used, or holds no database. */
const NO_DATABASE = /^SQLITE_(AUTH|CORRUPT|NOTADB|PERM)/;

/** What is on the disk cannot be read, or is not what was written. */
const UNREADABLE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(CORRUPTFS|DATA|READ|SHORT_READ)$)/;

/** Whether it is a page, or the whole file, that cannot be read. */
export function isUnreadable(code: string): boolean {
  return UNREADABLE.test(code);
}

/** Whether others hold what a statement needs, by SQLite's name of its failure: the same may succeed later. */
export function isFileLock(code: string): boolean {
  return LOCK.test(code);
}

/** Whether it is the file itself that cannot be used. */
export function isFileFault(code: string): boolean {
  return DISK.test(code) || NO_DATABASE.test(code);
}
