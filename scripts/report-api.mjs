/**
 * Writes etc/ from the built types: everything that other teams can import, so that a review sees changes. With --check
 * it writes nothing, and exits with 1 if a report differs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const project = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const scratch = mkdtempSync(join(tmpdir(), 'animal-store-api-'));

const silent = { default: { logLevel: ExtractorLogLevel.None } };
/** A type that the public API uses but does not export would have no name for its users. */
const nothingForgotten = { ...silent, 'ae-forgotten-export': { logLevel: ExtractorLogLevel.Error } };

function report(entry, reportFileName, extractorMessageReporting) {
  const configuration = ExtractorConfig.prepare({
    packageJsonFullPath: join(project, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: project,
      mainEntryPointFilePath: join(project, entry),
      newlineKind: 'lf',
      compiler: { tsconfigFilePath: join(project, 'tsconfig.build.json') },
      apiReport: {
        enabled: true,
        reportFileName,
        reportFolder: join(project, 'etc'),
        reportTempFolder: scratch,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: { compilerMessageReporting: silent, tsdocMessageReporting: silent, extractorMessageReporting },
    },
  });
  const result = Extractor.invoke(configuration, {
    localBuild: !check,
    messageCallback: (message) => {
      if (message.logLevel === ExtractorLogLevel.Error) console.error(message.formatMessageWithLocation(project));
      message.handled = true;
    },
  });
  if (check && result.apiReportChanged) {
    console.error(
      `etc/${reportFileName} is not what the build exports; see the difference by: npm run generate -- api`,
    );
  }
  return result.errorCount === 0 && !(check && result.apiReportChanged);
}

const entries = [
  ['dist/index.d.ts', 'animal-store.api.md', nothingForgotten],
  ['dist/client/index.d.ts', 'animal-store-client.api.md', nothingForgotten],
  // It also uses types that the public API exports.
  ['dist/testing/index.d.ts', 'animal-store-testing.api.md', silent],
];
try {
  const good = entries.map((entry) => report(...entry));
  process.exitCode = good.every(Boolean) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true });
}
