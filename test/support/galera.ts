import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { MariaDb } from './mariadb.ts';
import { freePort } from './ports.ts';
import { findProgram } from './programs.ts';

/** The path of Debian's library that makes MariaDB a node of a cluster. */
const PROVIDER = '/usr/lib/galera/libgalera_smm.so';

/** Seconds of silence after which the cluster excludes a node. The defaults are 5 and 15. */
const GROUP = 'evs.keepalive_period=PT0.3S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT4S;gcache.size=16M';
const LIMIT_MS = 60_000;

const binary = findProgram('mariadbd');

/** Whether this machine can run a cluster: it needs MariaDB with Galera, not MySQL. */
export const hasGalera = binary !== undefined && existsSync(PROVIDER);

/** A cluster of MariaDB servers on this machine, replicated by Galera. */
export class GaleraCluster {
  readonly nodes: readonly [MariaDb, ...MariaDb[]];

  private constructor(nodes: readonly [MariaDb, ...MariaDb[]]) {
    this.nodes = nodes;
  }

  static async start(size = 3): Promise<GaleraCluster> {
    const ports = await Promise.all(Array.from({ length: size }, nodePorts));
    const members = ports.map(({ group }) => `127.0.0.1:${String(group)}`).join(',');
    const started: MariaDb[] = [];
    for (const [index, own] of ports.entries()) {
      const node = await MariaDb.start({
        ...(binary !== undefined && { binary }),
        args: nodeArguments(own, members),
        firstArgs: index === 0 ? ['--wsrep-new-cluster'] : [],
        joins: index > 0,
        // A node receives its data from a daemon of rsync, which never writes as root.
        user: 'nobody',
      });
      started.push(node);
      await untilSynced(node);
    }
    const [first, ...others] = started;
    if (first === undefined) throw new Error('A cluster has a node at least');
    return new GaleraCluster([first, ...others]);
  }

  /** Starts a killed node again, and waits until it has caught up. */
  async rejoin(node: MariaDb): Promise<void> {
    await node.launch();
    await untilSynced(node);
  }

  /**
   * Makes a new cluster of a node that lost all others, as an operator does after a total loss. Waits until the node
   * knows that it is alone: otherwise the new cluster would lose its majority once the node notices the lost nodes.
   */
  async bootstrap(node: MariaDb): Promise<void> {
    await untilSays(node, { wsrep_cluster_size: '1', wsrep_cluster_status: 'non-Primary' }, 'is not alone');
    await ask(node, "SET GLOBAL wsrep_provider_options = 'pc.bootstrap=1'");
    await untilSynced(node);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}

/** Resolves once the node accepts reads and writes. */
export async function untilSynced(node: MariaDb): Promise<void> {
  await untilSays(node, { wsrep_ready: 'ON', wsrep_local_state_comment: 'Synced' }, 'does not catch up');
}

async function untilSays(node: MariaDb, status: Readonly<Record<string, string>>, complaint: string): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; !(await says(node, status)); await sleep(50)) {
    if (Date.now() > deadline) throw new Error(`The node on port ${String(node.port)} ${complaint}`);
  }
}

async function says(node: MariaDb, status: Readonly<Record<string, string>>): Promise<boolean> {
  try {
    const names = Object.keys(status).map((name) => `'${name}'`);
    const rows = await ask(node, `SHOW STATUS WHERE Variable_name IN (${names.join()})`);
    const actual = new Map(rows.map((row) => [String(row['Variable_name']), String(row['Value'])]));
    return Object.entries(status).every(([name, value]) => actual.get(name) === value);
  } catch {
    return false;
  }
}

async function ask(node: MariaDb, sql: string): Promise<RowDataPacket[]> {
  const connection = await mysql.createConnection({ uri: node.adminUrl(), connectTimeout: 1000 });
  try {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  } finally {
    connection.destroy();
  }
}

interface NodePorts {
  readonly group: number;
  readonly incremental: number;
  readonly snapshot: number;
}

async function nodePorts(): Promise<NodePorts> {
  const [group, incremental, snapshot] = await Promise.all([freePort(), freePort(), freePort()]);
  return { group, incremental, snapshot };
}

function nodeArguments({ group, incremental, snapshot }: NodePorts, members: string): string[] {
  const listens = `base_port=${String(group)};gmcast.listen_addr=tcp://127.0.0.1:${String(group)}`;
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${PROVIDER}`,
    `--wsrep-cluster-address=gcomm://${members}`,
    `--wsrep-node-address=127.0.0.1:${String(group)}`,
    `--wsrep-provider-options=${listens};ist.recv_addr=127.0.0.1:${String(incremental)};${GROUP}`,
    '--wsrep-sst-method=rsync',
    `--wsrep-sst-receive-address=127.0.0.1:${String(snapshot)}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
  ];
}
