import type { ContactAttribute } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Item } from '../../../parts/item-list'
import { formatList } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Collection, usePage } from '../collection'
import { editMenu, useEditing } from '../../../parts/edit-menu'
import { FieldDeletion } from './deletion'
import { FieldDialog } from './dialog'

/** The fields that the organization added to its contacts. */
export function CustomFields() {
  const { edited, deleted, edit, remove, close } = useEditing<ContactAttribute>()
  const canChange = useCan('settings:update')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/contact-attributes', { query }, useCan('contacts:read'))
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('fields.title')}
      hint={t('fields.hint')}
      needs="contacts:read"
      add={canChange ? { label: t('fields.add'), onPress: add } : null}
      empty={{ icon: 'contact', title: t('fields.empty'), hint: t('fields.empty-hint') }}
      result={result}
      row={(field) => (
        <Item
          key={field.id}
          name={field.label}
          badge={<span className="chip">{t(`fields.type.${field.type}`)}</span>}
          hint={
            <>
              <code dir="ltr">{field.key}</code>
              {field.options.length > 0 && <bdi> · {formatList(field.options)}</bdi>}
            </>
          }
          menu={editMenu({
            onEdit: canChange
              ? () => {
                  edit(field)
                }
              : null,
            onDelete: canChange
              ? () => {
                  remove(field)
                }
              : null,
          })}
        />
      )}
    >
      {edited && <FieldDialog field={edited === 'new' ? null : edited} onClose={close} />}
      {deleted && <FieldDeletion field={deleted} onClose={close} />}
    </Collection>
  )
}
