import type { PermissionKey } from '../../api/shapes'
import type { TextKey } from '../../texts/texts'

/** A screen of the settings. */
interface SettingsSection {
  to:
    | '/settings/profile'
    | '/settings/organization'
    | '/settings/numbers'
    | '/settings/people'
    | '/settings/teams'
    | '/settings/tags'
    | '/settings/canned-responses'
    | '/settings/api-keys'
  text: TextKey
  /** Permission without which it is not shown; `null` for everybody. */
  needs: PermissionKey | null
}

/** The screens of the settings that exist, in their order. */
export const SECTIONS: readonly SettingsSection[] = [
  { to: '/settings/profile', text: 'settings.profile.title', needs: null },
  {
    to: '/settings/organization',
    text: 'settings.organization.title',
    needs: 'settings:update',
  },
  { to: '/settings/numbers', text: 'settings.numbers.title', needs: 'accounts:read' },
  { to: '/settings/people', text: 'settings.people.title', needs: 'users:read' },
  { to: '/settings/teams', text: 'settings.teams.title', needs: 'teams:read' },
  { to: '/settings/tags', text: 'settings.tags.title', needs: 'tags:read' },
  {
    to: '/settings/canned-responses',
    text: 'settings.canned.title',
    needs: 'canned_responses:read',
  },
  { to: '/settings/api-keys', text: 'settings.keys.title', needs: 'api_keys:read' },
]
