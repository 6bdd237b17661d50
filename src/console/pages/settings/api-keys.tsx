import { call } from '../../api/client'
import type { ApiKey } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { serverNow } from '../../live/server-clock'
import { Item } from '../../parts/item-list'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from '../../parts/edit-menu'
import { EditKeyDialog, KeyDialog } from './key-dialogs'
import { ReferenceLink } from './reference-link'
import { useRefresh } from '../../live/use-refresh'

/** Whether a key only lacks an owner: theirs was removed or may not sign in. */
const isOrphan = ({ usable, is_active: isActive, expires_at: end }: ApiKey): boolean =>
  !usable && isActive && (end === null || Date.parse(end) > serverNow())

/** Why a key does not work. */
const whyUnusable = (key: ApiKey): TextKey =>
  !key.is_active
    ? 'settings.keys.inactive'
    : isOrphan(key)
      ? 'settings.keys.orphan'
      : 'settings.keys.over'

/** Returns owner, permissions and last use of a key in one line. */
const summaryOf = (key: ApiKey): string =>
  t('settings.keys.summary', {
    owner: key.owner.full_name,
    count: key.permissions.length,
    used:
      key.last_used_at === null
        ? t('settings.keys.never')
        : t('settings.keys.used', { time: formatDateTime(key.last_used_at) }),
  }) +
  (key.expires_at === null
    ? ''
    : ` · ${t('settings.keys.ends', { time: formatDateTime(key.expires_at) })}`)

/** The keys with which programs use the API. */
export function ApiKeys() {
  const { edited, deleted, edit, remove, close } = useEditing<ApiKey>()
  const canAdd = useCan('api_keys:create')
  const canUpdate = useCan('api_keys:update')
  const canDelete = useCan('api_keys:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/api-keys', { query }, useCan('api_keys:read'))
  const refresh = useRefresh('GET /api/api-keys')
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.keys.title')}
      hint={t('settings.keys.hint')}
      needs="api_keys:read"
      add={canAdd ? { label: t('settings.keys.add'), onPress: add } : null}
      empty={{
        icon: 'lock',
        title: t('settings.keys.empty'),
        hint: t('settings.keys.empty-hint'),
      }}
      result={result}
      row={(key) => (
        <Item
          key={key.id}
          name={key.name}
          badge={
            <>
              <code className="small muted">{key.key_prefix}…</code>
              {!key.usable && <span className="chip warn">{t(whyUnusable(key))}</span>}
            </>
          }
          hint={summaryOf(key)}
          menu={editMenu({
            onEdit: canUpdate
              ? () => {
                  edit(key)
                }
              : null,
            onDelete: canDelete
              ? () => {
                  remove(key)
                }
              : null,
            deleteLabel: t('settings.keys.revoke'),
            more: canUpdate && isOrphan(key) && (
              <MenuItem
                icon="assign"
                label={t('settings.keys.take-over')}
                onAction={() => {
                  call('POST /api/api-keys/{id}/take-over', { params: { id: key.id } })
                    .then(() => {
                      notify(t('settings.keys.taken', { name: key.name }))
                      return refresh()
                    })
                    .catch(report)
                }}
              />
            ),
          })}
        />
      )}
    >
      <ReferenceLink part="keys" />
      {edited === 'new' && <KeyDialog onClose={close} />}
      {edited && edited !== 'new' && <EditKeyDialog apiKey={edited} onClose={close} />}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.keys.revoke-hint')}
          onDelete={() =>
            call('DELETE /api/api-keys/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
