import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

import type { Config } from '../config'
import { PARTS } from '../infra/backup/manifest'
import {
  becomeOwner,
  DataDirError,
  hasSecretFile,
  readSecretFile,
  writeSecretFile,
} from '../infra/data-dir'
import { claimDataDir, type Claim } from '../infra/fence'
import { SECRET_FILES } from '../secrets'
import { printFolder, print, requiredText, type Command } from './command'
import {
  openTarget,
  restoreInto,
  restoreReport,
  type RestoreFacts,
  type RestoreOptions,
} from './restore-data'
import { serve } from './serve'

/** Makes this machine the server after another one failed. */
export const promote: Command = {
  name: 'promote',
  forms: [
    [
      'promote --from PATH [--yes] [--open] [--no-start]',
      'restore a follower or another folder, and start',
    ],
  ],
  more:
    'For a machine that stands by, when the server it stands by for has failed. Make sure that the ' +
    'other\nserver has ended and cannot come back: two servers with copies of the same data both ' +
    'send messages.\n\nPATH is the database file of a follower (then the media files in ' +
    'DATA_DIR/media are used), the data\nfolder of the other server, or a backup. It is restored ' +
    'into DATA_DIR as "restore" does, then the\nserver starts. If PATH is DATA_DIR itself, on a ' +
    'volume that was attached here, nothing is restored.\n\nIf a database already exists in ' +
    'DATA_DIR, this machine was promoted before: use "serve", or pass --yes\nto replace it. With --no-start it only restores.\n--open: as in "restore".',
  flags: {
    from: { type: 'string' },
    yes: { type: 'boolean' },
    open: { type: 'boolean' },
    'no-start': { type: 'boolean' },
  },
  words: 0,
  async run(invocation) {
    const { flags, isJson, config } = invocation
    const settings = config()
    const from = resolve(requiredText(flags, 'from'))
    const isHere = from === resolve(settings.dataDir)
    const isStarted = flags['no-start'] !== true
    if (!isHere && isStarted) await restoreInChild()
    if (!isHere && !isStarted) {
      const { path, facts } = await restoreFrom(settings, from, {
        replaces: flags['yes'] === true,
        opens: flags['open'] === true,
        discards: false,
      })
      printFolder(path, isJson)
      print(isJson ? JSON.stringify(facts) : restoreReport(facts, path))
    }
    if (isStarted) await serve.run({ ...invocation, words: [], flags: {} })
  },
}

/**
 * Runs the same command without the start in another process. SQLite may keep a file that was
 * restored here open under its former name; a server in this process would share that file's
 * write-ahead log with no other process. Ends this process if it fails.
 */
async function restoreInChild(): Promise<void> {
  const isExecutable = Bun.main.startsWith('/$bunfs/')
  const self = isExecutable ? [process.execPath] : [process.execPath, Bun.main]
  const child = Bun.spawn([...self, ...process.argv.slice(2), '--no-start'], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const code = await child.exited
  if (code !== 0) process.exit(code)
}

/** Restores a follower, a backup, or the data folder of a server that has ended. */
async function restoreFrom(
  settings: Config,
  from: string,
  options: RestoreOptions,
): Promise<{ path: string; facts: RestoreFacts }> {
  const isFolder = isDataFolder(from)
  const held = isFolder ? await hold(from) : null
  try {
    if (isFolder) copySecrets(from, resolve(settings.dataDir))
    const dir = openTarget(settings)
    const source = isFolder
      ? { path: join(from, PARTS.database), media: join(from, PARTS.files) }
      : { path: from }
    return { path: dir.path, facts: await restoreInto(settings, dir, { ...source, ...options }) }
  } finally {
    held?.release()
  }
}

/** Whether a path is the data folder of a server, not a backup. */
const isDataFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true &&
  existsSync(join(path, PARTS.database)) &&
  !existsSync(join(path, PARTS.manifest))

/**
 * Keeps other processes from writing to the data folder of another server. Throws DataDirError if
 * one does. Returns `null` for a folder that cannot be written.
 */
async function hold(path: string): Promise<Claim | null> {
  try {
    const databasePath = join(path, PARTS.database)
    return await claimDataDir({ path, databasePath, backupsPath: path }, () => process.exit(1))
  } catch (error) {
    if (error instanceof DataDirError) throw error
    return null
  }
}

/** Copies the secrets of another server's data folder that are missing in this one. */
function copySecrets(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  becomeOwner(to)
  for (const name of SECRET_FILES) {
    const secret = hasSecretFile({ path: to }, name) ? null : readSecretFile({ path: from }, name)
    if (secret !== null) writeSecretFile({ path: to }, name, secret)
  }
}
