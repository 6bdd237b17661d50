import { useQuery, useQueryClient } from '@tanstack/react-query'

import { canPush, isSubscribed, pushKey, subscribe, unsubscribe } from '../../live/push'
import { Switch } from '../../parts/choice'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

const STATE = ['push']

/** Notifications while the console is closed. Not shown where server or browser have none. */
export function PushSwitch() {
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: STATE,
    queryFn: async () => {
      const key = await pushKey()
      return { key, isOn: key !== null && (await isSubscribed()) }
    },
    enabled: canPush() && isSecureContext && location.protocol === 'https:',
  })
  const key = data?.key ?? null
  if (key === null) return null
  const change = async (isOn: boolean): Promise<void> => {
    if (!isOn) await unsubscribe()
    else if ((await Notification.requestPermission()) === 'granted') await subscribe(key)
    else notify(t('settings.profile.system-notices.denied'))
    await client.invalidateQueries({ queryKey: STATE })
  }
  return (
    <Switch
      isSelected={data?.isOn ?? false}
      onChange={(isOn) => {
        change(isOn).catch(report)
      }}
    >
      {t('settings.profile.push')}
    </Switch>
  )
}
