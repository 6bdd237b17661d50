import { InvalidError } from '../../lib/errors'
import type { Permission } from '../../infra/permissions'

/** Names of the roles that every organization has, as they appear in payloads (spec 2.4). */
export type SystemRole = 'admin' | 'manager' | 'agent'

/** The letter by which the catalogue names a system role. */
const LETTERS: Record<SystemRole, string> = { admin: 'a', manager: 'm', agent: 'g' }

/**
 * Every permission there is: `resource:action`, the system roles that hold it, and what its holder
 * may do.
 */
const CATALOG = [
  [
    'users:read',
    'am',
    'See the people of the organization, their role, whether they are active and available',
  ],
  ['users:create', 'a', 'Create an account in the organization'],
  [
    'users:update',
    'a',
    'Change role and active flag of others, set their availability, end their access',
  ],
  ['users:delete', 'a', 'Remove a person from the organization'],
  ['roles:read', 'am', 'See roles, their permissions and the catalogue'],
  ['roles:create', 'a', 'Create custom roles'],
  ['roles:update', 'a', 'Change custom roles, choose the default role'],
  ['roles:delete', 'a', 'Delete unused custom roles'],
  ['organizations:read', 'am', 'List the members; list the organizations the caller belongs to'],
  [
    'organizations:create',
    'a',
    'Create an organization where the installation demands this permission',
  ],
  ['organizations:assign', 'a', 'Add members, change their role, remove them, manage invitations'],
  ['settings:read', 'am', "See the organization's settings"],
  [
    'settings:update',
    'a',
    "Change the organization's settings, retention rules and registration policy",
  ],
  [
    'accounts:read',
    'amg',
    'See connected phone numbers: name, number, state, quality; never a secret',
  ],
  ['accounts:create', 'am', 'Connect a phone number'],
  [
    'accounts:update',
    'am',
    'Change, test, subscribe or re-register a number; see its webhook verify token; edit the business profile',
  ],
  ['accounts:delete', 'am', 'Disconnect a number'],
  ['contacts:read', 'amg', 'See the contacts visible to oneself'],
  [
    'contacts:read_all',
    'am',
    'Lifts the visibility limit: every contact of the organization, and all that hangs on it',
  ],
  ['contacts:create', 'am', 'Create contacts'],
  ['contacts:update', 'am', 'Change, tag, block and merge contacts; consent; shared saved filters'],
  ['contacts:delete', 'am', "Delete contacts and erase a person's data"],
  ['contacts:import', 'am', 'Import contacts from a file'],
  ['contacts:export', 'am', 'Export contacts and conversations to a file'],
  ['contacts:unmask', 'am', 'See full phone numbers while mask_phone_numbers is on'],
  ['tags:read', 'amg', 'See tags'],
  ['tags:create', 'am', 'Create tags'],
  ['tags:update', 'am', 'Rename and recolour tags'],
  ['tags:delete', 'am', 'Delete tags and take them off contacts'],
  [
    'messages:read',
    'amg',
    'Read conversations, messages, media and internal notes of visible contacts; search them',
  ],
  [
    'messages:create',
    'amg',
    "Send and react, mark as read, snooze, close and reopen a conversation, write notes and change one's own",
  ],
  ['templates:read', 'amg', 'See templates'],
  ['templates:create', 'am', 'Draft templates and submit them'],
  ['templates:update', 'am', 'Change templates'],
  ['templates:delete', 'am', 'Delete templates'],
  ['templates:sync', 'am', 'Fetch templates from the platform now (flows: flows:update)'],
  ['flows:read', 'am', 'See platform flows and chatbot flows'],
  ['flows:create', 'am', 'Create flows'],
  ['flows:update', 'am', 'Change, publish, enable and deprecate flows'],
  ['flows:delete', 'am', 'Delete flows'],
  ['canned_responses:read', 'amg', 'See and use canned responses'],
  ['canned_responses:create', 'am', 'Create canned responses'],
  ['canned_responses:update', 'am', 'Change canned responses'],
  ['canned_responses:delete', 'am', 'Delete canned responses'],
  ['campaigns:read', 'am', 'See campaigns, recipients, progress and reports'],
  ['campaigns:create', 'am', 'Create campaigns and load recipients'],
  ['campaigns:update', 'am', 'Change drafts and schedules'],
  ['campaigns:delete', 'am', 'Delete campaigns that are not running'],
  ['campaigns:execute', 'am', 'Start, pause, resume, cancel and retry; this one spends money'],
  ['chatbot:read', 'am', 'See chatbot settings, keyword rules, AI contexts and sessions'],
  ['chatbot:create', 'am', 'Create keyword rules and AI contexts'],
  ['chatbot:update', 'am', 'Change chatbot settings, rules and contexts'],
  ['chatbot:delete', 'am', 'Delete rules and contexts, end sessions'],
  [
    'transfers:read',
    'amg',
    "See one's own transfers and the queues of one's teams and the general queue; with transfers:assign all",
  ],
  ['transfers:create', 'amg', 'Hand a visible conversation to a queue, a team or a person'],
  [
    'transfers:assign',
    'am',
    'Give any transfer, conversation or contact to any person or team, end any transfer',
  ],
  [
    'transfers:pickup',
    'amg',
    "Take the next waiting transfer of one's queues; give back or end one's own",
  ],
  [
    'teams:read',
    'am',
    'See all teams and their members (members of a team always see their own team)',
  ],
  ['teams:create', 'am', 'Create teams'],
  [
    'teams:update',
    'am',
    "Change teams and their members (a team's manager may always do so in that team)",
  ],
  ['teams:delete', 'am', 'Delete teams'],
  [
    'custom_actions:read',
    'amg',
    'See custom actions without their header secrets, run them on visible contacts',
  ],
  ['custom_actions:create', 'am', 'Create custom actions'],
  ['custom_actions:update', 'am', 'Change custom actions'],
  ['custom_actions:delete', 'am', 'Delete custom actions'],
  ['webhooks:read', 'am', 'See outbound webhooks, never their secrets; see deliveries'],
  ['webhooks:create', 'am', 'Create outbound webhooks'],
  [
    'webhooks:update',
    'am',
    'Change, test and enable outbound webhooks, rotate secrets, send deliveries again',
  ],
  ['webhooks:delete', 'am', 'Delete outbound webhooks'],
  ['api_keys:read', 'a', 'See API keys, never the key itself'],
  ['api_keys:create', 'a', 'Create API keys'],
  ['api_keys:update', 'a', 'Rename, restrict, switch off or take over API keys'],
  ['api_keys:delete', 'a', 'Revoke API keys'],
  [
    'analytics:read',
    'am',
    'See reports of the whole organization and export them (own figures need no permission)',
  ],
  ['audit_logs:read', 'a', 'Read the audit log'],
  ['jobs:read', 'am', 'See background work, failed work and its reasons'],
  ['jobs:retry', 'am', 'Retry or discard failed work'],
] as const satisfies readonly (readonly [`${string}:${string}`, string, string])[]

type CataloguedPermissions = Record<(typeof CATALOG)[number][0], true>

declare module '../../infra/permissions' {
  interface PermissionCatalogue extends CataloguedPermissions {}
}

/** What the API tells of each permission. */
export const permissionFacts = (): {
  key: Permission
  resource: string
  action: string
  description: string
}[] =>
  CATALOG.map(([key, , description]) => {
    const [resource = '', action = ''] = key.split(':')
    return { key, resource, action, description }
  })

/** The id of a permission, the same on every installation: UUID version 5 of its key. */
export const permissionId = (key: string): string => Bun.randomUUIDv5(key, 'dns')

/**
 * A set of pairs that somebody wrote down, each once. Throws InvalidError that names the place of
 * every pair that is not in the catalogue, letter by letter.
 */
export function requireCatalogued(written: readonly string[]): Permission[] {
  const isKnown = (pair: string): pair is Permission => PERMISSIONS.has(pair as Permission)
  const errors = written.flatMap((pair, index) =>
    isKnown(pair)
      ? []
      : [{ path: `body.permissions.${index}`, message: 'is not a permission of the catalogue' }],
  )
  if (errors.length > 0)
    throw new InvalidError(
      `${errors[0]?.path}: is not a permission of the catalogue (GET /api/permissions).`,
      {
        code: 'invalid_input',
        errors,
      },
    )
  return [...new Set(written.filter(isKnown))]
}

/** Every permission there is. */
export const PERMISSIONS: ReadonlySet<Permission> = new Set(
  CATALOG.map(([permission]) => permission),
)

/** What each system role is for, and whether who joins gets it when no other role is named. */
export const SYSTEM_ROLES: readonly {
  name: SystemRole
  description: string
  isDefault: boolean
}[] = [
  { name: 'admin', description: 'Everything in one organization.', isDefault: false },
  {
    name: 'manager',
    description:
      'Runs daily business: all but people, roles, memberships, organization settings, keys and the audit log.',
    isDefault: false,
  },
  {
    name: 'agent',
    description:
      'Answers customers: reads what the work needs, sends messages, takes and hands over conversations.',
    isDefault: true,
  },
]

/** The permissions a system role holds on every installation. */
export const permissionsOfSystemRole = (role: SystemRole): Permission[] =>
  CATALOG.filter(([, holders]) => holders.includes(LETTERS[role])).map(([permission]) => permission)
