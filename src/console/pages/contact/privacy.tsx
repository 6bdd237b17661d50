import { saveFile } from '../../api/save-file'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Item, ItemList } from '../../parts/item-list'
import { report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

/** The files with everything about a contact that were asked for; nothing if there are none. */
export function PrivacyFiles({ contactId }: { contactId: string }) {
  const query = { contact_id: contactId, kind: 'export' as const, limit: 5 }
  const items = useApi('GET /api/privacy/requests', { query }).data?.items ?? []
  if (items.length === 0) return null
  return (
    <section className="section" aria-label={t('contact.privacy')}>
      <header className="section-head">
        <h2 className="grow">{t('contact.privacy')}</h2>
      </header>
      <ItemList label={t('contact.privacy')}>
        {items.map(({ id, state, created_at: at, expires_at: until }) => (
          <Item
            key={id}
            name={t(`contact.privacy-state.${state}`)}
            hint={
              state === 'completed' && until !== null
                ? t('contact.privacy-until', { time: formatDateTime(until) })
                : formatDateTime(at)
            }
            actions={
              state === 'completed' && (
                <Button
                  icon="download"
                  onPress={() => {
                    const wish = { params: { id } }
                    const name = `privacy-export-${id}.zip`
                    saveFile('GET /api/privacy/requests/{id}/download', wish, name).catch(report)
                  }}
                >
                  {t('inbox.media.download')}
                </Button>
              )
            }
          />
        ))}
      </ItemList>
    </section>
  )
}
