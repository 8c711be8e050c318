/** Programs that are built once with Go, from its module proxy. They are kept in node_modules/.cache. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROGRAMS = {
  helm: 'helm.sh/helm/v4/cmd/helm@v4.3.1',
  kustomize: 'sigs.k8s.io/kustomize/kustomize/v5@v5.8.1',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
};

const folder = fileURLToPath(new URL('../node_modules/.cache/manifests/bin', import.meta.url));

/** The path of one of these programs, which is built first if it is missing. */
export function program(name) {
  const path = join(folder, name);
  if (!existsSync(path)) {
    execFileSync('go', ['install', PROGRAMS[name]], { stdio: 'inherit', env: { ...process.env, GOBIN: folder } });
  }
  return path;
}
