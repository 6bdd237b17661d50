import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { RELEASE } from '../version'
import { ROOT } from './build'
import { readCommit } from './commit'

const BUILDER = 'switchboard-release'
/** What Docker says of the image that it pushed. */
const PUSHED = 'dist/image.json'

/** The name of the image of a repository, at the registry of its host. */
export const imageOf = ({ pathname }: URL): string => `ghcr.io${pathname.toLowerCase()}`

/**
 * Returns the arguments of `docker` that build the image: for the processor at hand under the name
 * `switchboard`, or for all, pushed to the registry under its version and as the latest one.
 */
export function imageArguments(repository: URL, isPushed: boolean): string[] {
  const commit = readCommit(ROOT)
  const values = {
    VERSION: RELEASE.version,
    COMMIT: commit?.hash,
    COMMITTED_AT: commit?.committedAt,
    REPOSITORY: repository.href,
    // Times of files: the same source gives the same image.
    SOURCE_DATE_EPOCH: commit && String(Date.parse(commit.committedAt) / 1_000),
  }
  const given = Object.entries(values).flatMap(([name, value]) =>
    value ? ['--build-arg', `${name}=${value}`] : [],
  )
  const name = imageOf(repository)
  const isFinal = !RELEASE.version.includes('-')
  const pushed = [
    ...['--builder', BUILDER, '--platform', 'linux/amd64,linux/arm64', '--provenance', 'mode=max'],
    ...['--tag', `${name}:${RELEASE.version}`, ...(isFinal ? ['--tag', `${name}:latest`] : [])],
    ...['--output', 'type=registry,rewrite-timestamp=true', '--metadata-file', PUSHED],
  ]
  const kept = ['--tag', 'switchboard', '--load']
  return ['buildx', 'build', ...given, ...(isPushed ? pushed : kept), '.']
}

/** Builds the image with Docker. Throws when Docker says no. */
export async function buildImage(repository: URL, isPushed: boolean): Promise<void> {
  const docker = async (...args: string[]): Promise<boolean> =>
    (await Bun.spawn(['docker', ...args], {
      cwd: ROOT,
      stdout: 'inherit',
      stderr: 'inherit',
    }).exited) === 0
  // Only a builder in a container builds for several processors. It may be there already.
  if (isPushed) await docker('buildx', 'create', '--name', BUILDER)
  if (!(await docker(...imageArguments(repository, isPushed))))
    throw new Error('docker could not build the image')
}

/** Prints name and digest of the image that was pushed last, as variables of the workflow. */
export const printPushed = (repository: URL): void => {
  process.stdout.write(pushedVariables(readFileSync(join(ROOT, PUSHED), 'utf8'), repository))
}

/** Reads them from what Docker wrote. Throws when it has no digest. */
export function pushedVariables(written: string, repository: URL): string {
  const digest = String((JSON.parse(written) as Record<string, unknown>)['containerimage.digest'])
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error('Docker wrote no digest of the image')
  return `name=${imageOf(repository)}\ndigest=${digest}\n`
}
