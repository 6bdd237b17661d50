import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call, type Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded, Pager } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { roleTitleOf } from '../../parts/role-name'
import { report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { RoleSelect } from './role-select'
import { SecretDialog } from '../../parts/secret-dialog'
import { useRefresh } from '../../live/use-refresh'

/** The window in which somebody is invited. It ends with the link of the invitation. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [roleId, setRoleId] = useState<string | null>(null)
  const [made, setMade] = useState<{ link: string; mailedTo: string | null } | null>(null)
  const refresh = useRefresh('GET /api/organizations/invitations')
  if (made !== null)
    return (
      <SecretDialog
        title={t('settings.people.link')}
        hint={
          made.mailedTo === null
            ? t('settings.people.link-hint')
            : t('settings.people.link-mailed', { email: made.mailedTo })
        }
        secret={made.link}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={t('settings.people.invite')}
      submit={t('settings.people.invite-submit')}
      onClose={onClose}
      isKeptOpen
      onSave={async (data) => {
        const email = textOf(data, 'email').trim()
        const body = {
          email: email === '' ? null : email,
          ...(roleId === null ? {} : { role_id: roleId }),
        }
        const invited = await callOnce('POST /api/organizations/invitations', { body })
        const isMailed = invited.mail === 'queued' || invited.mail === 'sent'
        setMade({ link: invited.invite_url, mailedTo: isMailed ? invited.email : null })
        await refresh()
      }}
    >
      <TextField
        name="email"
        type="email"
        label={t('settings.people.email')}
        hint={t('settings.people.email-hint')}
        autoFocus
      />
      <RoleSelect value={roleId} onChange={setRoleId} />
    </FormDialog>
  )
}

type Invitation = Data<'GET /api/organizations/invitations'>['items'][number]

/** Returns whom an invitation is for. */
const nameOf = ({ email }: Invitation): string => email ?? t('settings.people.anyone')

/** Invitations that nobody has accepted yet. Nothing if there are none. */
export function Invitations() {
  const [page, setPage] = useState(1)
  const [asked, setAsked] = useState<Invitation | null>(null)
  const refresh = useRefresh('GET /api/organizations/invitations')
  const query = { status: 'pending' as const, page, limit: 20 }
  const result = useApi('GET /api/organizations/invitations', { query })
  if (result.data?.items.length === 0 && page === 1) return null
  return (
    <Section title={t('settings.people.invitations')}>
      <Loaded result={result} rows={1}>
        {({ items, total_pages: pages }) => (
          <>
            <ItemList label={t('settings.people.invitations')}>
              {items.map((one) => (
                <Item
                  key={one.id}
                  name={nameOf(one)}
                  badge={<span className="chip">{roleTitleOf(one.role_name)}</span>}
                  hint={t('settings.people.invited', {
                    name: one.invited_by.full_name,
                    time: formatDateTime(one.expires_at),
                  })}
                  actions={
                    <Button
                      onPress={() => {
                        setAsked(one)
                      }}
                    >
                      {t('settings.people.revoke')}
                    </Button>
                  }
                />
              ))}
            </ItemList>
            <Pager page={page} pages={pages ?? 1} onPage={setPage} />
          </>
        )}
      </Loaded>
      {asked && (
        <Confirm
          isOpen
          title={t('settings.people.revoke-title', { name: nameOf(asked) })}
          text={t('settings.people.revoke-hint')}
          action={t('settings.people.revoke')}
          onConfirm={() => {
            call('DELETE /api/organizations/invitations/{id}', { params: { id: asked.id } })
              .then(refresh)
              .catch(report)
          }}
          onClose={() => {
            setAsked(null)
          }}
        />
      )}
    </Section>
  )
}
