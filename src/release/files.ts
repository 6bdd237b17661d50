import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import manifest from '../../package.json'
import { RELEASE } from '../version'
import { ROOT } from './build'
import { readCommit } from './commit'
import { RELEASE_FOLDER } from './executables'
import { imageOf } from './image'
import type { Section } from './changelog'
import { billOfMaterials, folderOf, type Lock } from './sbom'
import { changesOfThisVersion } from './tag'

const SUMS = 'SHA256SUMS'

/**
 * Writes the files of a release beside its executables: those for servers with the address of this
 * release in them, the packages in the executable, what changed, and the checksums of everything.
 */
export function writeFiles(
  repository: URL,
  { date, text }: Section = changesOfThisVersion(),
  folder = RELEASE_FOLDER,
): void {
  const { version } = RELEASE
  mkdirSync(folder, { recursive: true })
  const write = (name: string, content: string): void => writeFileSync(join(folder, name), content)
  const deploy = (name: string): string => readFileSync(join(ROOT, 'src/deploy', name), 'utf8')
  const downloads = `${repository.href}/releases/download/v${version}`

  write(
    'install.sh',
    replaced(
      deploy('install.sh'),
      '${SWITCHBOARD_DOWNLOADS:-}',
      `\${SWITCHBOARD_DOWNLOADS:-${downloads}}`,
    ),
  )
  write(
    'compose.yaml',
    replaced(
      deploy('compose.yaml'),
      'image: switchboard\n',
      `image: ${imageOf(repository)}:${version}\n`,
    ),
  )
  write('switchboard.service', deploy('switchboard.service'))
  write('switchboard.cdx.json', `${JSON.stringify(listOfPackages(), null, 2)}\n`)
  write('CHANGES.md', `# Switchboard ${version}, ${date}\n\n${text}`)
  write(SUMS, checksumsOf(folder))
}

/** Replaces a part of a file that must be there once. */
function replaced(text: string, part: string, by: string): string {
  const [before, after, ...more] = text.split(part)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`a file in src/deploy must have "${part.trim()}" once`)
  return before + by + after
}

/** Returns what is in the executable, with the licenses that the installed packages name. */
export function listOfPackages(): object {
  const lock = Bun.JSONC.parse(readFileSync(join(ROOT, 'bun.lock'), 'utf8')) as Lock
  const subject = {
    ...RELEASE,
    name: manifest.name,
    license: manifest.license,
    commit: readCommit(ROOT),
    bun: Bun.version,
  }
  return billOfMaterials(lock, subject, (path) => {
    const file = join(ROOT, folderOf(path), 'package.json')
    const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown }
    return typeof license === 'string' ? license : null
  })
}

/** Returns lines as `sha256sum` writes and checks them. */
function checksumsOf(folder: string): string {
  const names = readdirSync(folder).filter((name) => name !== SUMS)
  return names
    .toSorted()
    .map((name) => {
      const bytes = readFileSync(join(folder, name))
      return `${new Bun.CryptoHasher('sha256').update(bytes).digest('hex')}  ${name}\n`
    })
    .join('')
}
