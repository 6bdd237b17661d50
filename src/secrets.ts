import { existsSync } from 'node:fs'
import { join } from 'node:path'

import type { Config } from './config'
import { randomHex } from './lib/random'
import type { RootKeys } from './lib/secret'
import { databaseIn, readSecretFile, writeSecretFile, type DataDir } from './infra/data-dir'
import { readKey } from './lib/setting'

/**
 * The secrets of an installation, from the configuration or from files of the data folder. Those of
 * the platform are read when they are first used: most commands need none, and reading a missing one
 * throws KeyError.
 */
export interface Secrets {
  readonly roots: RootKeys
  readonly webhookVerifyToken: string
  readonly appSecrets: string[]
}

/** A key file does not hold a key. The message is one sentence for the operator. */
export class KeyError extends Error {
  override readonly name = 'KeyError'
}

const KEY = { name: 'SECRET_KEY', file: 'secret.key' }

const VERIFY_TOKEN_FILE = 'webhook-verify-token'

const APP_SECRET_FILE = 'app-secret'

/** The files in which an installation keeps secrets that are not configured. */
export const SECRET_FILES: readonly string[] = [KEY.file, VERIFY_TOKEN_FILE, APP_SECRET_FILE]

/** Whether a database has served before, and whether it is the server that opens its secrets. */
export interface SecretsUse {
  wasUsed: boolean
  isServer: boolean
}

/**
 * Returns the secrets in use. Secrets that are not configured are generated at the first start and
 * stored in the data folder with mode 0600. The key of a used database is never generated again,
 * and commands beside a server generate nothing. Throws KeyError.
 */
export function openSecrets(
  config: Config,
  dir: DataDir,
  { wasUsed, isServer }: SecretsUse,
): Secrets {
  const mayMake = isServer || !wasUsed
  const own = (name: string, file: string, digits: number): string =>
    storedSecret(config, dir, { name, file }) ??
    (mayMake ? writeSecretFile(dir, file, randomHex(digits)) : missingSecret(dir, { name, file }))
  if (!wasUsed) makeKey(config, dir)
  const secrets = {
    roots: readRootKeys(config, dir),
    get webhookVerifyToken() {
      return config.webhookVerifyToken ?? own('WEBHOOK_VERIFY_TOKEN', VERIFY_TOKEN_FILE, 32)
    },
    get appSecrets() {
      return [
        config.appSecret ?? own('APP_SECRET', APP_SECRET_FILE, 16),
        ...(config.appSecretPrevious === null ? [] : [config.appSecretPrevious]),
      ]
    },
  }
  // A server reads all of them at its start.
  return isServer ? { ...secrets } : secrets
}

/** Generates the key of an installation if it has none. Returns whether it did. */
export function makeKey(config: Config, dir: Pick<DataDir, 'path'>): boolean {
  if (config.secretKey !== null || storedSecret(config, dir, KEY) !== null) return false
  writeSecretFile(dir, KEY.file, Buffer.from(randomHex(32), 'hex').toString('base64'))
  return true
}

/** Returns the root keys of an installation; generates none. Throws KeyError if there is no key. */
export function readRootKeys(config: Config, dir: Pick<DataDir, 'path'>): RootKeys {
  const current =
    config.secretKey ?? readKey(storedSecret(config, dir, KEY) ?? missingSecret(dir, KEY))
  if (!current)
    throw new KeyError(`The file ${KEY.file} in DATA_DIR does not contain a 32-byte key.`)
  return { current, previous: config.secretKeyPrevious }
}

/** The variable and the file of a secret. */
interface SecretName {
  name: string
  file: string
}

function storedSecret(
  config: Config,
  dir: Pick<DataDir, 'path'>,
  { name, file }: SecretName,
): string | null {
  requireKnown(config, dir, name)
  return readSecretFile(dir, file)
}

/** Throws KeyError if only the service has a secret in its environment. */
export function requireKnown(config: Config, dir: Pick<DataDir, 'path'>, name: string): void {
  if (config.unknownSecrets.includes(name))
    throw new KeyError(
      `The service on ${dir.path} has ${name} in its environment, but this command does not. ` +
        `Name the file that sets it with --env-file, or set ${name}.`,
    )
}

function missingSecret(dir: Pick<DataDir, 'path'>, { name, file }: SecretName): never {
  const place = join(dir.path, file)
  throw new KeyError(
    file === KEY.file
      ? `The file ${place} is missing. Put it back, write the key of the recovery sheet into it, or ` +
          `set ${name}. No backup contains it. If it is lost, "switchboard restore" with ` +
          `--discard-secrets keeps everything else${ofPresent(dir)}.`
      : `The file ${place} is missing. Put it back, or set ${name}.`,
  )
}

/** Names the database that is there as one that can be restored without its key. */
function ofPresent(dir: Pick<DataDir, 'path'>): string {
  const database = databaseIn(dir.path)
  return existsSync(database)
    ? `, also of this database: "switchboard restore ${database} --discard-secrets --yes"`
    : ''
}

/** Whether nobody set an app secret, so that the platform cannot have the one that is generated. */
export const hasOwnAppSecret = (config: Config): boolean =>
  config.appSecret === null && !config.unknownSecrets.includes('APP_SECRET')
