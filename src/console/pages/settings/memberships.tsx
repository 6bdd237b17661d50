import { useState } from 'react'

import { call } from '../../api/client'
import { signOut } from '../../api/session'
import { useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { Item, ItemList } from '../../parts/item-list'
import { Section } from '../../parts/page'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { useRefresh } from '../../live/use-refresh'

interface Left {
  organization_id: string
  name: string
}

/** The organizations of the user, each of which can be left. */
export function Memberships() {
  const me = useMe()
  const [left, setLeft] = useState<Left | null>(null)
  const refresh = useRefresh('GET /api/me/organizations')
  const organizations = useApi('GET /api/me/organizations', {}).data?.organizations ?? []
  const leave = async ({ organization_id: id, name }: Left): Promise<void> => {
    await call('DELETE /api/me/organizations/{organization_id}', {
      params: { organization_id: id },
    })
    // the session is one of the organization that is left
    if (id === me.organization_id) {
      await signOut()
      return
    }
    notify(t('settings.profile.left', { name }))
    await refresh()
  }
  if (me.membership_id === null) return null
  return (
    <Section title={t('settings.profile.organizations')}>
      <ItemList label={t('settings.profile.organizations')}>
        {organizations.map((one) => (
          <Item
            key={one.organization_id}
            name={one.name}
            badge={
              one.organization_id === me.organization_id && (
                <span className="chip">{t('settings.profile.this-organization')}</span>
              )
            }
            actions={
              <Button
                onPress={() => {
                  setLeft(one)
                }}
              >
                {t('settings.profile.leave')}
              </Button>
            }
          />
        ))}
      </ItemList>
      {left && (
        <Confirm
          isOpen
          isDangerous
          title={t('settings.profile.leave-title', { name: left.name })}
          text={t('settings.profile.leave-hint')}
          action={t('settings.profile.leave')}
          onClose={() => {
            setLeft(null)
          }}
          onConfirm={() => {
            leave(left).catch(report)
          }}
        />
      )}
    </Section>
  )
}
