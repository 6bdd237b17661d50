import { expect, test } from 'bun:test'

import type { PermissionKey } from '../../../src/console/api/shapes'
import { differencesOf, nearestOf } from '../../../src/console/pages/settings/roles/permissions'

const AGENT: PermissionKey[] = ['contacts:read', 'messages:read']
const MANAGER: PermissionKey[] = [...AGENT, 'contacts:read_all', 'campaigns:read', 'teams:read']

test('a role may do more and less than another one', () => {
  expect(differencesOf(['contacts:read', 'tags:read'], AGENT)).toEqual({
    more: ['tags:read'],
    less: ['messages:read'],
  })
  expect(differencesOf(AGENT, AGENT)).toEqual({ more: [], less: [] })
})

test('the nearest role is the one with the fewest differences', () => {
  const agent = { title: 'Agent', permissions: AGENT }
  const manager = { title: 'Manager', permissions: MANAGER }
  const roles = [agent, manager]
  expect(nearestOf([...AGENT, 'tags:read'], roles)).toBe(agent)
  expect(nearestOf(MANAGER.slice(1), roles)).toBe(manager)
  expect(nearestOf([], [])).toBeNull()
})
