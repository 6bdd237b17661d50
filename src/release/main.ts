/**
 * The steps of a release (`bun run release STEP`), which the workflow runs one after the other. Each
 * can be run anywhere; what they write lies in `dist/release`.
 */
import { parseArgs } from 'node:util'

import { packClients } from '../clients/pack'
import { buildRelease, RELEASE_FOLDER } from './executables'
import { writeFiles } from './files'
import { buildImage, printPushed } from './image'
import { targetNamed, TARGETS, type Target } from './targets'
import { checkTag } from './tag'

const USAGE = `bun run release tag TAG                          checks that a tag may be released
bun run release build [TARGET…]                  builds executables, without targets all of them
bun run release clients                          makes the packages for TypeScript and Python
bun run release files --repository URL           writes the other files and all checksums
bun run release image [--push] --repository URL  builds the image, with --push for all processors
bun run release pushed --repository URL          prints name and digest of the pushed image`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { repository: { type: 'string' }, push: { type: 'boolean', default: false } },
})
const [step, ...words] = positionals

/** The address of the repository at its host, such as `https://github.com/acme/switchboard`. */
function repository(): URL {
  const url = URL.parse(values.repository ?? '')
  if (url?.protocol === 'https:' && /^\/[\w.-]+\/[\w.-]+$/.test(url.pathname)) return url
  throw new Error('--repository must be an address such as https://github.com/acme/switchboard')
}

const steps: Record<string, () => Promise<void> | void> = {
  tag: () => checkTag(words[0] ?? ''),
  build: () =>
    buildRelease(words.length > 0 ? words.map(targetNamed) : (Object.keys(TARGETS) as Target[])),
  clients: async () => void (await packClients(RELEASE_FOLDER)),
  files: () => writeFiles(repository()),
  image: () => buildImage(repository(), values.push),
  pushed: () => printPushed(repository()),
}

const run = steps[step ?? '']
try {
  if (run === undefined) throw new Error(USAGE)
  await run()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
