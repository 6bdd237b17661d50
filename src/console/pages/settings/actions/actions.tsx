import { Link, useNavigate } from '@tanstack/react-router'

import { call } from '../../../api/client'
import type { CustomAction } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Item } from '../../../parts/item-list'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { Collection, usePage, useWords } from '../collection'
import { DeleteDialog } from '../delete-dialog'
import { editMenu, useEditing } from '../../../parts/edit-menu'
import { useRefresh } from '../../../live/use-refresh'

/** The buttons beside customers that the organization added. */
export function CustomActions() {
  const navigate = useNavigate()
  const { deleted, remove, close } = useEditing<CustomAction>()
  const canDelete = useCan('custom_actions:delete')
  const words = useWords()
  const query = { page: usePage(), limit: 50, ...(words === '' ? {} : { search: words }) }
  const result = useApi('GET /api/custom-actions', { query }, useCan('custom_actions:read'))
  const refresh = useRefresh('GET /api/custom-actions')
  const add = (): void => {
    navigate({ to: '/settings/actions/new', search: {} }).catch(report)
  }
  return (
    <Collection
      title={t('actions.title')}
      hint={t('actions.hint')}
      needs="custom_actions:read"
      add={useCan('custom_actions:create') ? { label: t('actions.add'), onPress: add } : null}
      empty={{ icon: 'bolt', title: t('actions.empty'), hint: t('actions.empty-hint') }}
      result={result}
      searchLabel={t('actions.find')}
      row={(action) => (
        <Item
          key={action.id}
          name={action.name}
          link={
            <Link to="/settings/actions/$actionId" params={{ actionId: action.id }} search={{}}>
              <bdi>{action.name}</bdi>
            </Link>
          }
          badge={!action.is_active && <span className="chip">{t('settings.state.inactive')}</span>}
          hint={`${t(`actions.type.${action.action_type}`)} · \u2066${action.config.url}\u2069`}
          menu={editMenu({
            onEdit: null,
            onDelete: canDelete
              ? () => {
                  remove(action)
                }
              : null,
          })}
        />
      )}
    >
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('actions.delete')}
          onDelete={() =>
            call('DELETE /api/custom-actions/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
