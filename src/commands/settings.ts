import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'

import { variables } from '../environment'
import { ConfigError } from '../config'
import { DataDirError } from '../infra/data-dir'
import { fileErrorMessage } from '../lib/file-error'
import { readUnitEnvironment } from './unit-environment'

/** Environment variables by name. */
export type CommandEnvironment = Record<string, string | undefined>

/**
 * Files in which a running server stores its settings: in its data folder, and in the runtime
 * folder of systemd.
 */
const SERVICE_FILE = 'service.env'
const RUNTIME_FOLDER = '/run/switchboard'

const SECRETS_LINE = /^# Secrets in the environment of the service: (.*)$/m

/** Settings of a command: its variables, and the names of secrets that only the service knows. */
export interface CommandSettings {
  variables: CommandEnvironment
  unknownSecrets: string[]
  /** Variables that the named env file brought. */
  ofEnvFile?: ReadonlySet<string>
}

/**
 * Returns the variables of `more` that are unset in `present`, both by name and by their `_FILE`
 * twin.
 */
function withDefaults(
  present: CommandEnvironment,
  defaults: CommandEnvironment,
): CommandEnvironment {
  const isSet = (name: string): boolean => (present[name] ?? '') !== ''
  const base = (name: string): string => name.replace(/_FILE$/, '')
  return {
    ...Object.fromEntries(
      Object.entries(defaults).filter(
        ([name]) => !isSet(base(name)) && !isSet(`${base(name)}_FILE`),
      ),
    ),
    ...Object.fromEntries(
      Object.entries(present).filter(([name, value]) => value !== '' || !(name in defaults)),
    ),
  }
}

/** Reads a file of variables. Throws ConfigError. */
function readEnvFile(path: string): CommandEnvironment {
  try {
    return parseEnv(readFileSync(path, 'utf8')) as CommandEnvironment
  } catch (error) {
    throw new ConfigError([`--env-file: ${fileErrorMessage(error) ?? `${path} holds no settings`}`])
  }
}

/**
 * Returns the variables of the server: the environment, then the named env file. Throws
 * ConfigError.
 */
export const settingsOfServer = (
  environment: CommandEnvironment,
  envFile: string | undefined,
): CommandSettings => {
  if (envFile === undefined) return { variables: environment, unknownSecrets: [] }
  const ofFile = readEnvFile(envFile)
  const variables = withDefaults(environment, ofFile)
  const isOfFile = (name: string): boolean =>
    (environment[name] ?? '') === '' && variables[name] === ofFile[name]
  return {
    variables,
    unknownSecrets: [],
    ofEnvFile: new Set(Object.keys(ofFile).filter(isOfFile)),
  }
}

/**
 * Returns the variables of a command: the environment, then the named env file, then the settings
 * saved by the running service. For root, secrets of the service also come from the environment files
 * of its unit. Without a data folder, uses `./data` if it holds an installation, otherwise the
 * service's folder. Throws ConfigError and DataDirError.
 */
export function settingsOfCommand(
  environment: CommandEnvironment,
  envFile: string | undefined,
): CommandSettings {
  const { variables: given } = settingsOfServer(environment, envFile)
  const running = join(
    (given['RUNTIME_DIRECTORY'] ?? '').split(':')[0] || RUNTIME_FOLDER,
    SERVICE_FILE,
  )
  const configuredFolder = given['DATA_DIR'] ?? ''
  if (configuredFolder === '' && (given['DATA_DIR_FILE'] ?? '') === '') {
    const localFolder = resolve('data')
    const hasLocalInstallation = existsSync(join(localFolder, 'switchboard.sqlite'))
    if (!hasLocalInstallation)
      return existsSync(running)
        ? withService(given, running)
        : { variables: given, unknownSecrets: [] }
    const serviceFolder = existsSync(running)
      ? withService({}, running).variables['DATA_DIR']
      : undefined
    if (serviceFolder !== undefined && serviceFolder !== localFolder)
      throw new DataDirError(
        `${localFolder} contains an installation, but a service is running on ${serviceFolder}. Set DATA_DIR ` +
          'to the one you mean.',
      )
    return withService(given, join(localFolder, SERVICE_FILE))
  }
  return configuredFolder === ''
    ? { variables: given, unknownSecrets: [] }
    : withService(given, join(resolve(configuredFolder), SERVICE_FILE))
}

function withService(given: CommandEnvironment, path: string): CommandSettings {
  if (!existsSync(path)) return { variables: given, unknownSecrets: [] }
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new DataDirError(fileErrorMessage(error) ?? `Cannot read the file ${path}.`)
  }
  const merged = withDefaults(given, parseEnv(text) as CommandEnvironment)
  const secrets = (SECRETS_LINE.exec(text)?.[1] ?? '').split(' ').filter((name) => name !== '')
  const unknown = secrets.filter((name) => !merged[name] && !merged[`${name}_FILE`])
  const ofUnit =
    unknown.length > 0 && process.getuid?.() === 0
      ? readUnitEnvironment(merged['DATA_DIR'] ?? '')
      : {}
  const found = unknown.filter((name) => (ofUnit[name] ?? '') !== '')
  return {
    variables: { ...merged, ...Object.fromEntries(found.map((name) => [name, ofUnit[name]])) },
    unknownSecrets: unknown.filter((name) => !found.includes(name)),
  }
}

/** Facts that a running server saves. */
export interface RunningService {
  dataDir: string
  host: string
  port: number
}

/**
 * Saves the settings of a running server for commands, in its data folder and in the runtime folder
 * of systemd. Stores no secrets, only which ones are set. Returns why a file could not be written,
 * if so.
 */
export function saveServiceSettings(
  environment: CommandEnvironment,
  running: RunningService,
): string[] {
  const known = variables().filter(([name]) => !['DATA_DIR', 'HOST', 'PORT'].includes(name))
  const isSet = (name: string): boolean => (environment[name] ?? '') !== ''
  const lines = [
    ['DATA_DIR', resolve(running.dataDir)],
    ['HOST', running.host],
    ['PORT', String(running.port)],
    ...known
      .filter(([name, facts]) => facts.secret !== true && isSet(name))
      .map(([name]) => [name, absoluteValue(name, environment[name] ?? '')]),
    ...known
      .filter(([name]) => isSet(`${name}_FILE`))
      .map(([name]) => [`${name}_FILE`, resolve(environment[`${name}_FILE`] ?? '')]),
  ]
  const secrets = known
    .filter(([name, facts]) => facts.secret === true && isSet(name))
    .map(([name]) => name)
  const text = [
    '# Written by Switchboard at startup and read by commands on this machine. Contains no ' +
      'secrets.',
    ...lines.map(([name, value]) => `${name}=${quoteValue(value ?? '')}`),
    ...(secrets.length > 0
      ? [`# Secrets in the environment of the service: ${secrets.join(' ')}`]
      : []),
    '',
  ].join('\n')
  const runtime = (environment['RUNTIME_DIRECTORY'] ?? '').split(':')[0] ?? ''
  return [resolve(running.dataDir), ...(runtime === '' ? [] : [runtime])].flatMap((folder) => {
    const path = join(folder, SERVICE_FILE)
    try {
      writeFileSync(`${path}.new`, text, { mode: 0o600 })
      renameSync(`${path}.new`, path)
      return []
    } catch (error) {
      return [fileErrorMessage(error) ?? `Cannot write ${path}.`]
    }
  })
}

/** Returns a value that does not depend on the working folder: makes relative paths absolute. */
const absoluteValue = (name: string, value: string): string =>
  name === 'BACKUP_DIR' ? resolve(value) : value

/** Quotes a value for an env file, with the quotes it does not contain. */
const quoteValue = (value: string): string => {
  if (/^[\w@%+:,./-]*$/.test(value)) return value
  return value.includes("'") ? (value.includes('"') ? `\`${value}\`` : `"${value}"`) : `'${value}'`
}
