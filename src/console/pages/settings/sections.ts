import type { PermissionKey } from '../../api/shapes'
import type { IconName } from '../../parts/icons'
import type { TextKey } from '../../texts/texts'

/** A screen of the settings. */
interface SettingsSection {
  to:
    | '/settings/profile'
    | '/settings/organization'
    | '/settings/hours'
    | '/settings/numbers'
    | '/settings/people'
    | '/settings/teams'
    | '/settings/roles'
    | '/settings/tags'
    | '/settings/fields'
    | '/settings/canned-responses'
    | '/settings/actions'
    | '/settings/consent'
    | '/settings/retention'
    | '/settings/privacy'
    | '/settings/exports'
    | '/settings/archives'
    | '/settings/api-keys'
    | '/settings/audit'
    | '/settings/sign-in'
    | '/settings/webhooks'
    | '/settings/incoming'
    | '/settings/queue'
  text: TextKey
  icon: IconName
  /** Permissions without which it is not shown; none for everybody. */
  needs: readonly PermissionKey[]
}

/** The screens of the settings that exist, in groups, in their order. */
export const GROUPS: readonly { text: TextKey; sections: readonly SettingsSection[] }[] = [
  {
    text: 'settings.group.you',
    sections: [
      { to: '/settings/profile', text: 'settings.profile.title', icon: 'contact', needs: [] },
    ],
  },
  {
    text: 'settings.group.organization',
    sections: [
      {
        to: '/settings/organization',
        text: 'settings.organization.title',
        icon: 'building',
        needs: ['settings:update'],
      },
      {
        to: '/settings/hours',
        text: 'settings.hours.title',
        icon: 'clock',
        needs: ['chatbot:read', 'chatbot:update'],
      },
    ],
  },
  {
    text: 'settings.group.channels',
    sections: [
      {
        to: '/settings/numbers',
        text: 'settings.numbers.title',
        icon: 'phone',
        needs: ['accounts:read'],
      },
      { to: '/settings/queue', text: 'queue.title', icon: 'send', needs: ['jobs:read'] },
    ],
  },
  {
    text: 'settings.group.people',
    sections: [
      {
        to: '/settings/people',
        text: 'settings.people.title',
        icon: 'contacts',
        needs: ['users:read'],
      },
      { to: '/settings/teams', text: 'settings.teams.title', icon: 'team', needs: ['teams:read'] },
      { to: '/settings/roles', text: 'settings.roles.title', icon: 'lock', needs: ['roles:read'] },
    ],
  },
  {
    text: 'settings.group.content',
    sections: [
      { to: '/settings/tags', text: 'settings.tags.title', icon: 'tag', needs: ['tags:read'] },
      { to: '/settings/fields', text: 'fields.title', icon: 'table', needs: ['contacts:read'] },
      {
        to: '/settings/canned-responses',
        text: 'settings.canned.title',
        icon: 'bolt',
        needs: ['canned_responses:read'],
      },
      {
        to: '/settings/actions',
        text: 'actions.title',
        icon: 'play',
        needs: ['custom_actions:read'],
      },
    ],
  },
  {
    text: 'settings.group.developers',
    sections: [
      {
        to: '/settings/api-keys',
        text: 'settings.keys.title',
        icon: 'key',
        needs: ['api_keys:read'],
      },
      { to: '/settings/webhooks', text: 'webhooks.title', icon: 'link', needs: ['webhooks:read'] },
      {
        to: '/settings/incoming',
        text: 'incoming.title',
        icon: 'download',
        needs: ['settings:read'],
      },
    ],
  },
  {
    text: 'settings.group.data',
    sections: [
      { to: '/settings/consent', text: 'consent.title', icon: 'bell', needs: ['settings:read'] },
      {
        to: '/settings/retention',
        text: 'retention.title',
        icon: 'clock',
        needs: ['settings:read'],
      },
      { to: '/settings/privacy', text: 'privacy.title', icon: 'lock', needs: ['contacts:export'] },
      {
        to: '/settings/exports',
        text: 'exports.title',
        icon: 'download',
        needs: ['contacts:export'],
      },
      {
        to: '/settings/archives',
        text: 'archives.title',
        icon: 'file',
        needs: ['organizations:export'],
      },
    ],
  },
  {
    text: 'settings.group.security',
    sections: [
      {
        to: '/settings/sign-in',
        text: 'signin-rules.title',
        icon: 'key',
        needs: ['settings:update'],
      },
      {
        to: '/settings/audit',
        text: 'settings.audit.title',
        icon: 'list',
        needs: ['audit_logs:read'],
      },
    ],
  },
]
