import { Command, InvalidArgumentError } from 'commander';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartFault } from '../platform/errors/index.js';
import { refuse } from './command-output.js';
import { feature, featurePackage, type FeatureOptions, type Tree } from './feature.schematic.js';

interface NewOptions extends Omit<FeatureOptions, 'name'> {
  readonly package?: true;
}

/** `new feature NAME`: runs the schematics of this package without the Nest CLI. */
export function newCommand(): Command {
  const command = new Command('feature')
    .description('write a feature: controller, service, repository, entity, migration, DTOs and tests')
    .argument('<name>', 'in the plural, lower kebab case, e.g. pet-toys')
    .option('--package', 'as a package of its own, in a folder of that name')
    .option('--singular <word>', 'what one of them is called')
    .action((name: string, { package: isPackage, singular }: NewOptions) => {
      try {
        const tree = new FolderTree(process.cwd(), isPackage ? name : join('src', name));
        (isPackage ? featurePackage : feature)({ name, singular })(tree);
        process.stdout.write(`${[...tree.write(), '', nextStep(name, isPackage, tree)].join('\n')}\n`);
      } catch (error) {
        if (error instanceof InvalidArgumentError) refuse(command, error.message);
        throw error;
      }
    });
  return new Command('new').description('write code to begin with').addCommand(command);
}

function nextStep(name: string, isPackage: true | undefined, tree: Tree): string {
  if (isPackage) return `Next: cd ${name} && npm install --save-dev PATH/TO/animal-store-1.0.0.tgz && npm test`;
  if (tree.exists('src/platform/feature.ts'))
    return 'Next: npm run format && npm test -- src && npm run build && npm run openapi';
  return `Next: see that the program is given the feature of './${name}/index.js', in runService([…])`;
}

/** Writes files into a folder: all of them or none. */
class FolderTree implements Tree {
  private readonly made = new Map<string, string>();
  private readonly changed = new Map<string, string>();

  private readonly place: string;

  /**
   * @param place the new folder of all created files, relative to `folder`.
   * @throws {InvalidArgumentError} if `place` already exists.
   */
  constructor(
    private readonly folder: string,
    place: string,
  ) {
    this.place = join(folder, place);
    if (existsSync(this.place)) throw new InvalidArgumentError(`${this.place} is there already`);
  }

  exists(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  readText(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  create(path: string, text: string): void {
    this.made.set(path, text);
  }

  overwrite(path: string, text: string): void {
    this.changed.set(path, text);
  }

  /**
   * @returns a line for each file.
   * @throws {StartFault} for an error of the file system. The created files are removed then.
   */
  write(): string[] {
    const path = this.place;
    let first: string | undefined;
    try {
      first = mkdirSync(path, { recursive: true });
      for (const [file, text] of this.made) {
        mkdirSync(dirname(join(this.folder, file)), { recursive: true });
        writeFileSync(join(this.folder, file), text);
      }
      for (const [file, text] of this.changed) this.replace(file, text, join(path, 'draft'));
    } catch (error) {
      if (first !== undefined) rmSync(first, { recursive: true, force: true });
      const { code } = error as NodeJS.ErrnoException;
      throw code === undefined ? error : new StartFault(`${path} cannot be written (${code})`, { cause: error });
    }
    return [...this.made.keys(), ...this.changed.keys()].map((file) => `wrote ${file}`);
  }

  /** Writes a draft in the same file system and renames it: a full disk must not destroy the existing file. */
  private replace(file: string, text: string, draft: string): void {
    writeFileSync(draft, text);
    renameSync(draft, join(this.folder, file));
  }
}
