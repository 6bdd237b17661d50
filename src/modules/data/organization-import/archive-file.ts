import { lstatSync } from 'node:fs'
import { join } from 'node:path'

import { InvalidError } from '../../../lib/errors'
import type { Deps } from '../../../infra/ctx'
import type { OrganizationImportRow } from './view'

declare module '../../../infra/ctx' {
  interface Deps {
    /** The folder whose archives can be imported by their path; `null` for none. */
    incomingFolder: string | null
  }
}

const placeOf = (id: string): string => `organization_imports/${id}/key`

/** Returns the key of an archive's secrets, encrypted for its import. */
export const sealKey = ({ vault }: Pick<Deps, 'vault'>, id: string, key: Buffer | null) =>
  key === null ? null : vault.seal(key.toString('base64'), placeOf(id))

/** Encrypts the key with the current root key again. */
export const resealKey = ({ vault }: Pick<Deps, 'vault'>, id: string, sealed: string): string =>
  vault.reseal(sealed, placeOf(id))

/** Returns the key of an import's secrets; `null` for none. */
export const keyOf = (
  { vault }: Pick<Deps, 'vault'>,
  { id, keySealed }: Pick<OrganizationImportRow, 'id' | 'keySealed'>,
): Buffer | null =>
  keySealed === null ? null : Buffer.from(vault.open(keySealed, placeOf(id)), 'base64')

/** Returns the path of an import's archive. Throws InvalidError if it is gone. */
export function fileOf(
  deps: Pick<Deps, 'files' | 'incomingFolder'>,
  { archiveFile, archivePath }: Pick<OrganizationImportRow, 'archiveFile' | 'archivePath'>,
): string {
  if (archiveFile !== null) return deps.files.pathOf(archiveFile)
  if (archivePath === null || !isFile(archivePath))
    throw new InvalidError('The archive does not exist any more.', { code: 'file_gone' })
  return archivePath
}

/** A name in the folder, possibly in subfolders. */
const RELATIVE = /^(?!.*(?:^|\/)\.)[^\0\\]{1,500}$/

/**
 * Returns the path of an archive in the folder for incoming files. Links are not followed. Throws
 * InvalidError.
 */
export function pathBelowIncoming({ incomingFolder }: Pick<Deps, 'incomingFolder'>, name: string) {
  const refusal = (message: string): InvalidError =>
    new InvalidError(`\`path\` ${message}.`, {
      code: 'invalid_input',
      errors: [{ path: 'body.path', message }],
    })
  if (incomingFolder === null) throw refusal('cannot be used: this server has no data directory')
  if (name.startsWith('/') || !RELATIVE.test(name))
    throw refusal('must be a name in the `incoming` folder of the data directory')
  const parts = name.split('/')
  for (let depth = 1; depth <= parts.length; depth += 1)
    if (isLink(join(incomingFolder, ...parts.slice(0, depth))))
      throw refusal('must not lead through a link')
  const path = join(incomingFolder, name)
  if (!isFile(path)) throw refusal('is no file in the `incoming` folder of the data directory')
  return path
}

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false

const isFile = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
