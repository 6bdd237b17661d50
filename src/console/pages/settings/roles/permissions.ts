import type { PermissionKey, Role } from '../../../api/shapes'
import { formatList } from '../../../texts/format'
import { t, type TextKey } from '../../../texts/texts'
import { GROUPS } from '../sections'

/** What permissions are about, in the order of a role's page, by the first word of their keys. */
const AREAS = {
  customers: ['contacts', 'tags'],
  conversations: ['messages', 'transfers', 'canned_responses', 'custom_actions'],
  outreach: ['templates', 'campaigns', 'flows'],
  bot: ['chatbot'],
  people: ['users', 'roles', 'teams'],
  organization: ['analytics', 'settings', 'accounts', 'organizations', 'audit_logs'],
  programs: ['webhooks', 'api_keys', 'jobs'],
} as const
type Area = keyof typeof AREAS

const resourceOf = (permission: string): string => permission.split(':', 1)[0] ?? ''

/** Returns permissions in groups of what they are about. Groups without any are left out. */
export const inAreas = (
  permissions: readonly PermissionKey[],
): { title: string; permissions: PermissionKey[] }[] =>
  (Object.keys(AREAS) as Area[])
    .map((area) => ({
      title: t(`settings.roles.area.${area}`),
      permissions: (AREAS[area] as readonly string[]).flatMap((resource) =>
        permissions.filter((one) => resourceOf(one) === resource),
      ),
    }))
    .filter(({ permissions: found }) => found.length > 0)

/** Returns the permissions of a role. */
export const permissionsOf = (role: Role): PermissionKey[] =>
  role.permissions.map(({ resource, action }) => `${resource}:${action}` as PermissionKey)

/** Returns the text that fits the first of some permissions that is held. */
const firstHeld = (
  held: ReadonlySet<string>,
  cases: readonly (readonly [permission: string, text: TextKey])[],
  otherwise: TextKey,
): string => t(cases.find(([permission]) => held.has(permission))?.[1] ?? otherwise)

/** Returns what people with these permissions see, a sentence for each kind of thing. */
export function seenWith(permissions: readonly PermissionKey[], isMasked: boolean): string[] {
  const held = new Set<string>(permissions)
  const screens = GROUPS.flatMap(({ sections }) => sections)
    .filter(({ needs }) => needs.every((one) => held.has(one)))
    .map(({ text }) => t(text))
  return [
    firstHeld(
      held,
      [
        ['contacts:read_all', 'settings.roles.sees.all-customers'],
        ['contacts:read_unassigned', 'settings.roles.sees.free-customers'],
        ['contacts:read', 'settings.roles.sees.own-customers'],
      ],
      'settings.roles.sees.no-customers',
    ),
    firstHeld(
      held,
      [['messages:read', 'settings.roles.sees.messages']],
      'settings.roles.sees.no-messages',
    ),
    firstHeld(
      held,
      [
        ['transfers:assign', 'settings.roles.sees.all-queues'],
        ['transfers:read', 'settings.roles.sees.own-queues'],
      ],
      'settings.roles.sees.no-queues',
    ),
    ...(isMasked
      ? [
          firstHeld(
            held,
            [['contacts:unmask', 'settings.roles.sees.numbers']],
            'settings.roles.sees.masked-numbers',
          ),
        ]
      : []),
    firstHeld(
      held,
      [['analytics:read', 'settings.roles.sees.reports']],
      'settings.roles.sees.own-figures',
    ),
    t('settings.roles.sees.settings', { screens: formatList(screens) }),
  ]
}

/** Returns what a role may do that another one may not, and the other way round. */
export const differencesOf = (
  held: readonly PermissionKey[],
  base: readonly PermissionKey[],
): { more: PermissionKey[]; less: PermissionKey[] } => ({
  more: held.filter((one) => !base.includes(one)),
  less: base.filter((one) => !held.includes(one)),
})

/** Returns the role that is most like one with these permissions; `null` without any. */
export function nearestOf<R extends { permissions: readonly PermissionKey[] }>(
  held: readonly PermissionKey[],
  roles: readonly R[],
): R | null {
  const distance = ({ permissions }: R): number => {
    const { more, less } = differencesOf(held, permissions)
    return more.length + less.length
  }
  return roles.toSorted((one, other) => distance(one) - distance(other))[0] ?? null
}
