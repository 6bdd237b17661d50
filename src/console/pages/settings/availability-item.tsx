import { call } from '../../api/client'
import type { User } from '../../api/shapes'
import { MenuItem } from '../../parts/menu'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { useRefresh } from '../../live/use-refresh'

/** Makes a colleague away who forgot it, or available again. */
export function AvailabilityItem({ user }: { user: User }) {
  const refresh = useRefresh('GET /api/users')
  const { id, is_available: isAvailable } = user
  return (
    <MenuItem
      icon={isAvailable ? 'snooze' : 'check'}
      label={t(isAvailable ? 'settings.people.make-away' : 'settings.people.make-available')}
      onAction={() => {
        call('PUT /api/users/{id}/availability', {
          params: { id },
          body: { is_available: !isAvailable },
        })
          .then(refresh)
          .catch(report)
      }}
    />
  )
}
