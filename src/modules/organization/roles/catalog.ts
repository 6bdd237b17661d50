import type { Permission } from '../../../infra/permissions'

/** Names of the system roles, as they appear in responses (spec 2.4). */
export type SystemRole = 'admin' | 'manager' | 'agent'

/** The letter of each system role in the catalog. */
const LETTERS: Record<SystemRole, string> = { admin: 'a', manager: 'm', agent: 'g' }

/** All permissions: `resource:action`, the system roles that hold it, and what it allows. */
const CATALOG = [
  [
    'users:read',
    'am',
    'See users of the organization with their role, active flag and availability',
  ],
  ['users:create', 'a', 'Create user accounts in the organization'],
  [
    'users:update',
    'a',
    'Change role and active flag of other users, set their availability, revoke their ' + 'tokens',
  ],
  ['users:delete', 'a', 'Remove users from the organization'],
  ['roles:read', 'am', 'See roles, their permissions and the list of all permissions'],
  ['roles:create', 'a', 'Create custom roles'],
  ['roles:update', 'a', 'Change custom roles, choose the default role'],
  ['roles:delete', 'a', 'Delete unused custom roles'],
  ['organizations:read', 'am', 'List members, and the organizations the caller belongs to'],
  [
    'organizations:create',
    'a',
    'Create organizations, if the installation requires this permission for it',
  ],
  ['organizations:export', 'a', 'Make and download an archive of the whole organization'],
  ['organizations:delete', 'a', 'Delete the organization, and restore it until it is erased'],
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
    'See connected phone numbers: name, number, state, quality. Secrets are never shown',
  ],
  ['accounts:create', 'am', 'Connect a phone number'],
  [
    'accounts:update',
    'am',
    'Change, test, subscribe or re-register a phone number; see its webhook verify token; ' +
      'edit the business profile',
  ],
  ['accounts:delete', 'am', 'Disconnect phone numbers'],
  ['contacts:read', 'amg', 'See contacts assigned to the user, directly or through a conversation'],
  [
    'contacts:read_all',
    'am',
    'See all contacts of the organization with their conversations and other data',
  ],
  [
    'contacts:read_unassigned',
    'amg',
    'See contacts that no person, team or transfer has, with their conversations and other data',
  ],
  ['contacts:create', 'am', 'Create contacts'],
  [
    'contacts:update',
    'am',
    'Change, tag, block and merge contacts; record consent; manage shared segments',
  ],
  ['contacts:delete', 'am', 'Delete contacts and erase their data'],
  ['contacts:import', 'am', 'Import contacts from a file'],
  ['contacts:export', 'am', 'Export contacts and conversations to a file'],
  ['contacts:unmask', 'am', 'See full phone numbers while mask_phone_numbers is on'],
  ['tags:read', 'amg', 'See tags'],
  ['tags:create', 'am', 'Create tags'],
  ['tags:update', 'am', 'Rename and recolor tags'],
  ['tags:delete', 'am', 'Delete tags and remove them from contacts'],
  [
    'messages:read',
    'amg',
    'Read conversations, messages, media and internal notes of visible contacts; search them',
  ],
  [
    'messages:create',
    'amg',
    'Send messages and reactions, mark as read, snooze, close and reopen conversations, ' +
      'write notes and edit own notes',
  ],
  ['templates:read', 'amg', 'See templates'],
  ['templates:create', 'am', 'Create templates and submit them for review'],
  ['templates:update', 'am', 'Change templates'],
  ['templates:delete', 'am', 'Delete templates'],
  ['templates:sync', 'am', 'Sync templates from the platform (flows: `flows:update`)'],
  ['flows:read', 'am', 'See platform flows and chatbot flows'],
  ['flows:create', 'am', 'Create flows'],
  ['flows:update', 'am', 'Change, publish, enable and deprecate flows'],
  ['flows:delete', 'am', 'Delete flows'],
  ['canned_responses:read', 'amg', 'See and use canned responses'],
  ['canned_responses:create', 'am', 'Create canned responses'],
  ['canned_responses:update', 'am', 'Change canned responses'],
  ['canned_responses:delete', 'am', 'Delete canned responses'],
  ['campaigns:read', 'am', 'See campaigns, recipients, progress and reports'],
  ['campaigns:create', 'am', 'Create campaigns and import recipients'],
  ['campaigns:update', 'am', 'Change drafts and schedules'],
  ['campaigns:delete', 'am', 'Delete campaigns that are not running'],
  [
    'campaigns:execute',
    'am',
    'Start, pause, resume, cancel and retry campaigns. Sending costs money',
  ],
  ['chatbot:read', 'am', 'See chatbot settings, keyword rules, AI contexts and sessions'],
  ['chatbot:create', 'am', 'Create keyword rules and AI contexts'],
  ['chatbot:update', 'am', 'Change chatbot settings, rules and contexts'],
  ['chatbot:delete', 'am', 'Delete rules and contexts, end sessions'],
  [
    'transfers:read',
    'amg',
    'See own transfers, the queues of own teams and the general queue; with ' +
      '`transfers:assign` all',
  ],
  ['transfers:create', 'amg', 'Transfer a visible conversation to a queue, a team or a user'],
  [
    'transfers:assign',
    'am',
    'Assign any transfer, conversation or contact to any user or team; end any transfer',
  ],
  [
    'transfers:pickup',
    'amg',
    'Pick the next waiting transfer of own queues; return or end own transfers',
  ],
  [
    'teams:read',
    'am',
    'See all teams and their members (members of a team can always see their own team)',
  ],
  ['teams:create', 'am', 'Create teams'],
  [
    'teams:update',
    'am',
    "Change teams and their members (a team's manager can always do so in that team)",
  ],
  ['teams:delete', 'am', 'Delete teams'],
  [
    'custom_actions:read',
    'amg',
    'See custom actions without their header secrets; run them on visible contacts',
  ],
  ['custom_actions:create', 'am', 'Create custom actions'],
  ['custom_actions:update', 'am', 'Change custom actions'],
  ['custom_actions:delete', 'am', 'Delete custom actions'],
  ['webhooks:read', 'am', 'See outbound webhooks and their deliveries. Secrets are never shown'],
  ['webhooks:create', 'am', 'Create outbound webhooks'],
  [
    'webhooks:update',
    'am',
    'Change, test and enable outbound webhooks, rotate secrets, resend deliveries',
  ],
  ['webhooks:delete', 'am', 'Delete outbound webhooks'],
  ['api_keys:read', 'a', 'See API keys. The keys themselves are never shown'],
  ['api_keys:create', 'a', 'Create API keys'],
  ['api_keys:update', 'a', 'Rename, restrict, disable or take over API keys'],
  ['api_keys:delete', 'a', 'Revoke API keys'],
  [
    'analytics:read',
    'am',
    'See and export reports of the whole organization (own figures need no permission)',
  ],
  ['audit_logs:read', 'a', 'Read the audit log'],
  ['jobs:read', 'am', 'See background jobs, failed jobs and the reasons'],
  ['jobs:retry', 'am', 'Retry or discard failed jobs'],
] as const satisfies readonly (readonly [`${string}:${string}`, string, string])[]

type CataloguedPermissions = Record<(typeof CATALOG)[number][0], true>

declare module '../../../infra/permissions' {
  interface PermissionCatalogue extends CataloguedPermissions {}
}

/** Returns the catalog as the API shows it. */
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

/** Returns the ID of a permission, the same on every installation: a version 5 UUID of its key. */
export const permissionId = (key: string): string => Bun.randomUUIDv5(key, 'dns')

const isPermission = (written: string): written is Permission =>
  PERMISSIONS.has(written as Permission)

/** Returns the permissions of a request, whose schema knows the catalog, each once. */
export const distinctPermissions = (written: readonly string[]): Permission[] => [
  ...new Set(written.filter(isPermission)),
]

/** What shows and changes nothing of customers and members. */
const UNCONFIRMED: ReadonlySet<string> = new Set<Permission>([
  ...(['accounts:read', 'canned_responses:read', 'tags:read', 'templates:read'] as const),
])

/** Returns the permissions that remain to a person for whom nobody has vouched. */
export const permissionsUnconfirmed = (permissions: readonly string[]): string[] =>
  permissions.filter((permission) => UNCONFIRMED.has(permission))

/** All permissions of the catalog. */
export const PERMISSIONS: ReadonlySet<Permission> = new Set(
  CATALOG.map(([permission]) => permission),
)

/** Purpose of each system role, and whether it is the initial default role. */
export const SYSTEM_ROLES: readonly {
  name: SystemRole
  description: string
  isDefault: boolean
}[] = [
  { name: 'admin', description: 'Everything in one organization.', isDefault: false },
  {
    name: 'manager',
    description:
      'Runs the daily business: everything except users, roles, members, organization ' +
      'settings, API keys and the audit log.',
    isDefault: false,
  },
  {
    name: 'agent',
    description:
      'Answers customers: reads what is needed for it, sends messages, picks and transfers ' +
      'conversations.',
    isDefault: true,
  },
]

/** Returns the permissions a system role holds on every installation. */
export const permissionsOfSystemRole = (role: SystemRole): Permission[] =>
  CATALOG.filter(([, holders]) => holders.includes(LETTERS[role])).map(([permission]) => permission)
