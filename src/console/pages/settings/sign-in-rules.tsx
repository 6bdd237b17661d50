import { useState } from 'react'

import { call } from '../../api/client'
import { reloadMe } from '../../api/session'
import type { Me, User } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { Avatar } from '../../parts/avatar'
import { useDraft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { Item, ItemList } from '../../parts/item-list'
import { Guarded, Loaded, Pager } from '../../parts/loaded'
import { MenuItem } from '../../parts/menu'
import { Page, Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { mergeOfSettings } from './merge-settings'
import { lastLoginOf } from './people'
import { AccessDialog } from './people-access'

type Values = Pick<Me['organization']['settings'], 'registration_policy'> &
  Pick<Me['organization'], 'updated_at'>

const JOINING = ['invitation', 'open', 'closed'] as const

/** Who has a second factor, and when they signed in last; their sessions can be ended. */
function Members() {
  const me = useMe()
  const [page, setPage] = useState(1)
  const [shown, setShown] = useState<User | null>(null)
  const canEnd = useCan('users:update')
  const query = { page, limit: 50 }
  const result = useApi('GET /api/users', { query }, useCan('users:read'))
  return (
    <Section title={t('settings.sign-in.members')} hint={t('settings.sign-in.members-hint')}>
      <Loaded result={result} rows={3}>
        {({ items, total_pages: pages }) => (
          <>
            <ItemList label={t('settings.sign-in.members')}>
              {items.map((user) => (
                <Item
                  key={user.id}
                  mark={<Avatar name={user.full_name} id={user.id} size="small" />}
                  name={user.full_name}
                  badge={
                    <span className={`chip ${user.two_factor_enabled ? 'good' : 'warn'}`}>
                      {t(`settings.sign-in.${user.two_factor_enabled ? 'with' : 'without'}`)}
                    </span>
                  }
                  hint={lastLoginOf(user)}
                  menu={
                    canEnd &&
                    user.id !== me.id && (
                      <MenuItem
                        icon="logout"
                        label={t('settings.people.sessions')}
                        onAction={() => {
                          setShown(user)
                        }}
                      />
                    )
                  }
                />
              ))}
            </ItemList>
            <Pager page={page} pages={pages} onPage={setPage} />
          </>
        )}
      </Loaded>
      {shown && (
        <AccessDialog
          user={shown}
          change="sessions"
          onClose={() => {
            setShown(null)
          }}
        />
      )}
    </Section>
  )
}

function RulesForm() {
  const { organization } = useMe()
  const draft = useDraft<Values>({
    registration_policy: organization.settings.registration_policy,
    updated_at: organization.updated_at,
  })
  const mayRead = useCan('users:read')
  return (
    <EditPage
      title={t('signin-rules.title')}
      hint={t('settings.sign-in.hint')}
      draft={draft}
      merge={mergeOfSettings<Values>({ registration_policy: 'settings.organization.join' })}
      onSave={async (changes, { updated_at: ifMatch }) => {
        await call('PUT /api/organizations/settings', { body: changes, ifMatch })
        await reloadMe()
      }}
    >
      <Section title={t('settings.organization.join')}>
        <div className="form">
          <Select
            label={t('settings.organization.join')}
            isLabelHidden
            choices={JOINING.map((id) => ({ id, label: t(`settings.organization.join.${id}`) }))}
            value={draft.value.registration_policy}
            hint={t('settings.organization.join-hint')}
            onChange={(policy) => {
              draft.set({ registration_policy: policy })
            }}
          />
        </div>
      </Section>
      {mayRead && <Members />}
    </EditPage>
  )
}

/** Who may join, who has a second factor, and where they are signed in. */
export function SignInRules() {
  const mayUpdate = useCan('settings:update')
  return mayUpdate ? (
    <RulesForm />
  ) : (
    <Page title={t('signin-rules.title')} hint={t('settings.sign-in.hint')}>
      <Guarded needs="settings:update">{null}</Guarded>
    </Page>
  )
}
