import { isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX'

import { derivedId } from '../lib/ids'
import type { Commit } from '../version'

/** A package as the lock file has it: name@version, registry, its needs, and a hash of its file. */
type Locked = [
  spec: string,
  registry: string,
  needs: {
    dependencies?: Record<string, string>
    optionalDependencies?: Record<string, string>
    peerDependencies?: Record<string, string>
    optionalPeers?: string[]
  },
  integrity: string,
]

/** What of `bun.lock` is read here. */
export interface Lock {
  workspaces: { '': { dependencies: Record<string, string> } }
  /** By the path of the package below node_modules: `a`, or `a/b` for what only `a` gets. */
  packages: Record<string, Locked>
}

/** What the list is about. */
export interface Subject {
  name: string
  version: string
  license: string
  commit: Commit | null
  /** Version of Bun, which is in the executable, too. */
  bun: string
}

interface Component {
  type: 'application' | 'library' | 'platform'
  'bom-ref': string
  group?: string
  name: string
  version: string
  licenses?: [{ expression: string } | { license: { id: string } | { name: string } }]
  hashes?: { alg: string; content: string }[]
  purl: string
}

/** Namespace of the serial numbers of our lists. */
const SERIAL_NUMBERS = '8a0b7f0e-6d1c-5a55-9b53-1f6d0c3ac7f2'
/** Several licenses in the language of SPDX, such as `(MIT OR Apache-2.0)`. */
const EXPRESSION = /^\(?[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)+\)?$/

/**
 * Returns the software bill of materials of the executable, in the format CycloneDX 1.6: Bun and
 * the packages that production needs, without those of development. `licenseOf` knows the license
 * of the package at a path below node_modules. The same input gives the same list.
 */
export function billOfMaterials(
  lock: Lock,
  { name, version, license, commit, bun }: Subject,
  licenseOf: (path: string) => string | null,
): object {
  const found = productionPackages(lock)
  const refs = new Map([...found].map(([path]) => [path, componentOf(path, lock, licenseOf)]))
  const refOf = (path: string): string => refs.get(path)?.['bom-ref'] ?? ''
  const own: Component = {
    type: 'application',
    'bom-ref': 'switchboard',
    name,
    version,
    ...licensesOf(license),
    purl: purlOf(name, version),
  }
  const runtime: Component = {
    type: 'platform',
    'bom-ref': purlOf('bun', bun),
    name: 'bun',
    version: bun,
    ...licensesOf('MIT'),
    purl: purlOf('bun', bun),
  }
  const direct = Object.keys(lock.workspaces[''].dependencies)
  // Copies of a package at several paths are one component.
  const components = new Map([...refs.values()].map((one) => [one['bom-ref'], one]))
  const needs = new Map([...found].map(([path, needed]) => [refOf(path), needed.map(refOf)]))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${derivedId(SERIAL_NUMBERS, `${version} ${commit?.hash ?? ''}`)}`,
    version: 1,
    metadata: {
      ...(commit === null ? {} : { timestamp: commit.committedAt }),
      component: own,
    },
    components: [runtime, ...components.values()],
    dependencies: [
      { ref: own['bom-ref'], dependsOn: [runtime['bom-ref'], ...direct.map(refOf)] },
      { ref: runtime['bom-ref'] },
      ...[...needs].map(([ref, needed]) => ({ ref, dependsOn: [...new Set(needed)] })),
    ],
  }
}

/** Returns the paths of the packages that production needs, each with the paths that it needs. */
export function productionPackages({ workspaces, packages }: Lock): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const open = Object.keys(workspaces[''].dependencies)
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue
    const locked = packages[path]
    if (locked === undefined) throw new Error(`the lock file has no package ${path}`)
    const needed = pathsNeeded(path, locked, packages)
    found.set(path, needed)
    open.push(...needed)
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Finds what a package needs, as it is found at run time: below itself, else further up. */
function pathsNeeded(path: string, [, , needs]: Locked, packages: Lock['packages']): string[] {
  const { dependencies, optionalDependencies, peerDependencies, optionalPeers = [] } = needs
  const isOptional = (name: string): boolean =>
    optionalPeers.includes(name) ||
    (optionalDependencies !== undefined && name in optionalDependencies)
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.flatMap((name) => {
    if (optionalPeers.includes(name)) return []
    const place = placesAbove(path).find((above) => `${above}${name}` in packages)
    if (place !== undefined) return [`${place}${name}`]
    if (isOptional(name)) return []
    throw new Error(`the lock file has no package ${name}, which ${path} needs`)
  })
}

/** Returns the packages of a path, outermost first. A scope such as `@a/b` belongs to its name. */
const stepsOf = (path: string): string[] => path.match(/(@[^/]+\/)?[^/]+/g) ?? []

/** Returns the folder of the package at a path of the lock file. */
export const folderOf = (path: string): string =>
  stepsOf(path)
    .map((step) => `node_modules/${step}`)
    .join('/')

/** `a/b` → `a/b/`, `a/` and the top. */
function placesAbove(path: string): string[] {
  const steps = stepsOf(path)
  return [...steps.map((_, index) => `${steps.slice(0, steps.length - index).join('/')}/`), '']
}

function componentOf(
  path: string,
  { packages }: Lock,
  licenseOf: (path: string) => string | null,
): Component {
  const [spec = '', , , integrity = ''] = packages[path] ?? []
  const at = spec.lastIndexOf('@')
  const [fullName, version] = [spec.slice(0, at), spec.slice(at + 1)]
  const [, group, name = fullName] = /^(@[^/]+)\/(.*)$/.exec(fullName) ?? []
  const purl = purlOf(fullName, version)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name,
    version,
    ...licensesOf(licenseOf(path)),
    hashes: [hashOf(integrity, path)],
    purl,
  }
}

/** `@scope/name` is written with `%40` in a package URL. */
const purlOf = (name: string, version: string): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

function licensesOf(license: string | null): Pick<Component, 'licenses'> {
  if (license === null) return {}
  if (EXPRESSION.test(license)) return { licenses: [{ expression: license }] }
  const named = isSupportedSpdxId(license) ? { id: license } : { name: license }
  return { licenses: [{ license: named }] }
}

/** `sha512-…` in base64 → the hash in hexadecimal. */
function hashOf(integrity: string, path: string): { alg: string; content: string } {
  const [, base64] = /^sha512-(.+)$/.exec(integrity) ?? []
  if (base64 === undefined) throw new Error(`the lock file has no SHA-512 of ${path}`)
  return { alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }
}
