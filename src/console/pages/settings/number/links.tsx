import { useState } from 'react'

import { call } from '../../../api/client'
import { Button, IconButton } from '../../../parts/button'
import { copyText } from '../../../parts/copy'
import { Item, ItemList } from '../../../parts/item-list'
import { Pager } from '../../../parts/loaded'
import { MenuItem } from '../../../parts/menu'
import { Section } from '../../../parts/page'
import { t } from '../../../texts/texts'
import { DeleteDialog } from '../delete-dialog'
import { useRefresh } from '../../../live/use-refresh'
import { linksAfter, type ChatLink, type LinkChange } from './entry-values'
import { LinkDialog, QrDialog } from './link-dialogs'

/** Links of a page of the list. */
const PER_PAGE = 20

/**
 * Returns how one link is changed. The API replaces all of them, so those that are there now are
 * read first: nobody's link of a moment ago is lost.
 */
function useLinkChange(id: string): (change: LinkChange) => Promise<void> {
  const params = { id }
  const refresh = useRefresh('GET /api/accounts/{id}/entry-points')
  return async (change) => {
    const { links } = await call('GET /api/accounts/{id}/entry-points', { params })
    const body = { links: linksAfter(links, change) }
    await call('PUT /api/accounts/{id}/entry-points', { params, body })
    await refresh()
  }
}

type Opened = { what: 'qr' | 'edit' | 'remove'; link: ChatLink } | { what: 'add' }

interface Props {
  accountId: string
  links: readonly ChatLink[]
  canEdit: boolean
}

/** Links that open a chat with a message, with their QR codes. Each is changed at once. */
export function Links({ accountId, links, canEdit }: Props) {
  const [opened, setOpened] = useState<Opened | null>(null)
  const [page, setPage] = useState(1)
  const change = useLinkChange(accountId)
  const pages = Math.max(1, Math.ceil(links.length / PER_PAGE))
  const at = Math.min(page, pages)
  const close = (): void => {
    setOpened(null)
  }
  return (
    <Section
      title={t('number.link.title')}
      hint={t('number.link.hint')}
      actions={
        canEdit && (
          <Button
            icon="plus"
            onPress={() => {
              setOpened({ what: 'add' })
            }}
          >
            {t('number.link.add')}
          </Button>
        )
      }
    >
      {links.length === 0 ? (
        <p className="muted">{t('number.link.none')}</p>
      ) : (
        <ItemList label={t('number.link.title')}>
          {links.slice((at - 1) * PER_PAGE, at * PER_PAGE).map((link) => (
            <LinkRow
              key={link.id}
              link={link}
              canEdit={canEdit}
              onOpen={(what) => {
                setOpened({ what, link })
              }}
            />
          ))}
        </ItemList>
      )}
      <Pager page={at} pages={pages} onPage={setPage} />
      {opened?.what === 'add' && (
        <LinkDialog
          link={null}
          onSave={(message) => change({ kind: 'add', message })}
          onClose={close}
        />
      )}
      {opened?.what === 'edit' && (
        <LinkDialog
          link={opened.link}
          onSave={(message) => change({ kind: 'change', id: opened.link.id, message })}
          onClose={close}
        />
      )}
      {opened?.what === 'qr' && <QrDialog link={opened.link} onClose={close} />}
      {opened?.what === 'remove' && (
        <DeleteDialog
          name={opened.link.message}
          text={t('number.link.remove')}
          onDelete={() => change({ kind: 'remove', id: opened.link.id })}
          onClose={close}
        />
      )}
    </Section>
  )
}

interface RowProps {
  link: ChatLink
  canEdit: boolean
  onOpen: (what: 'qr' | 'edit' | 'remove') => void
}

function LinkRow({ link, canEdit, onOpen }: RowProps) {
  const { url, message } = link
  return (
    <Item
      name={message}
      hint={url ?? ''}
      actions={
        url !== null && (
          <>
            <IconButton
              icon="copy"
              size={18}
              label={t('number.link.copy', { message })}
              onPress={() => {
                copyText(url)
              }}
            />
            <Button
              onPress={() => {
                onOpen('qr')
              }}
            >
              {t('number.link.qr')}
            </Button>
          </>
        )
      }
      menu={
        canEdit && (
          <>
            <MenuItem
              icon="edit"
              label={t('number.link.edit')}
              onAction={() => {
                onOpen('edit')
              }}
            />
            <MenuItem
              icon="trash"
              isDangerous
              label={t('settings.action.delete')}
              onAction={() => {
                onOpen('remove')
              }}
            />
          </>
        )
      }
    />
  )
}
