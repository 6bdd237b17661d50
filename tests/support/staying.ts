import { afterEach, beforeEach } from 'bun:test'

import type { Fixture } from './journey'
import type { World } from './world'

/** Keeps organizations where they are during each test of the `describe` that calls it. */
export function stayInAll(world: () => World, fixture: Fixture): void {
  let stay: Disposable
  beforeEach(() => {
    stay = world().stays(fixture)
  })
  afterEach(() => stay[Symbol.dispose]())
}
