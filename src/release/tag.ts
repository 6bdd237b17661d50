import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { VERSION } from '../version'
import { ROOT } from './build'
import { requireFrozen } from './frozen'
import { sectionOf, type Section } from './changelog'

/** Returns what the changelog says about this version. Throws when it is not ready for a release. */
export const changesOfThisVersion = (): Section =>
  sectionOf(readFileSync(join(ROOT, 'src/CHANGELOG.md'), 'utf8'), VERSION)

/** Throws unless the tag is the version of this source, whose changes are dated and whose format is frozen. */
export function checkTag(tag: string): void {
  if (tag !== `v${VERSION}`)
    throw new Error(`the tag must be v${VERSION}, the version in package.json, and is "${tag}"`)
  changesOfThisVersion()
  requireFrozen(join(ROOT, 'tests/releases'), VERSION)
}
