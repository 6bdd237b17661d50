import { existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'

import { counted } from '../lib/counted'
import { normalizeId, isUuid } from '../lib/ids'
import { exportOrganization } from '../modules/data/organization-archive/cli'
import { ArchiveError } from '../modules/data/organization-archive/write/problems'
import { withProgram } from './database'
import { passphraseOf } from './input'
import { print, requiredText, UsageError, type Invocation } from './command'

/**
 * Writes the archive of an organization to a file. The server may keep running. The file gets its
 * name when it is complete; a run that was killed leaves one that ends in `.partial`, which the next
 * run replaces.
 */
export async function exportToFile(invocation: Invocation, id: string): Promise<void> {
  const { flags, isJson } = invocation
  if (!isUuid(id)) throw new UsageError('organization export needs the ID of an organization.')
  const out = resolve(requiredText(flags, 'out'))
  if (existsSync(out)) throw new ArchiveError(`${out} already exists.`)
  const passphrase = await passphraseOf(invocation)
  const partial = `${out}.partial`
  const written = await withProgram(invocation, async ({ http }) => {
    try {
      const facts = await exportOrganization(http, {
        organizationId: normalizeId(id),
        target: partial,
        passphrase,
        hasFiles: flags['no-media'] !== true,
      })
      renameSync(partial, out)
      return facts
    } finally {
      rmSync(partial, { force: true })
    }
  })
  const { sizeBytes, manifest } = written
  const rows = manifest.parts.reduce((sum, part) => sum + part.rows, 0)
  const left = manifest.secrets_left.reduce((sum, column) => sum + column.rows, 0)
  if (isJson)
    return print(
      JSON.stringify({
        path: out,
        bytes: sizeBytes,
        rows,
        files: manifest.files.files,
        secrets_left: left,
      }),
    )
  print(`${out}\n${sizeBytes} bytes, ${rows} rows, ${manifest.files.files} files`)
  if (left > 0)
    print(
      `${counted(left, 'secret', 'secrets')}, such as access tokens, stayed behind. With ` +
        '--passphrase-stdin they are in the archive, encrypted with a passphrase.',
    )
}
