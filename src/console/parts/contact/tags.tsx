import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { Contact } from '../../api/shapes'
import { useCan } from '../../live/me'
import { IconButton } from '../button'
import { useKeys } from '../keys'
import { usePageCommands } from '../commands'
import { Popover } from '../popover'
import { report } from '../toast'
import { t } from '../../texts/texts'
import { tagChange } from './tag-change'
import { TagPicker } from './tag-picker'

type Tagged = Pick<Contact, 'id' | 'tags'>

/** Returns what gives a contact other tags, and what makes a new one for it, if the person may. */
function useTagging({ id, tags }: Tagged) {
  const client = useQueryClient()
  const mayCreate = useCan('tags:create')
  const had = tags.map((tag) => tag.id)
  const choose = (chosen: ReadonlySet<string>): void => {
    call('PUT /api/contacts/{id}/tags', { params: { id }, body: tagChange(had, chosen) }).catch(
      report,
    )
  }
  const create = (name: string): void => {
    callOnce('POST /api/tags', { body: { name } })
      .then((made) => {
        choose(new Set([...had, made.id]))
        return client.invalidateQueries({ queryKey: ['GET /api/tags'] })
      })
      .catch(report)
  }
  return { choose, create: mayCreate ? create : undefined }
}

/** The tags of a contact. */
export function Tags({ contact }: { contact: Tagged }) {
  const mayChange = useCan('contacts:update')
  const [isOpen, setOpen] = useState(false)
  const { choose, create } = useTagging(contact)
  useKeys({
    l: () => {
      if (mayChange) setOpen(true)
    },
  })
  usePageCommands(
    mayChange
      ? [
          {
            id: 'tags',
            label: t('inbox.tags.change'),
            icon: 'tag',
            shortcut: 'L',
            run: () => {
              setOpen(true)
            },
          },
        ]
      : [],
  )
  return (
    <section className="panel-part" aria-label={t('inbox.tags.title')}>
      <header>
        <h3 className="grow">{t('inbox.tags.title')}</h3>
        {mayChange && (
          <Popover
            label={t('inbox.tags.title')}
            isOpen={isOpen}
            onOpenChange={setOpen}
            button={
              <IconButton icon="plus" size={18} label={t('inbox.tags.change')} shortcut="L" />
            }
          >
            <TagPicker
              known={contact.tags}
              chosen={new Set(contact.tags.map(({ id }) => id))}
              entriesOf={(found, known) => {
                const others = known.filter(({ id }) => !found.some((tag) => tag.id === id))
                return [...others, ...found].map(({ id, name, color }) => ({
                  ...{ key: id, label: name, color },
                }))
              }}
              onCreate={create}
              onChoose={choose}
            />
          </Popover>
        )}
      </header>
      {contact.tags.length === 0 && <p className="muted small">{t('inbox.tags.none')}</p>}
      <p className="chips">
        {contact.tags.map(({ id, name, color }) => (
          <span key={id} className="chip">
            <span className={`tag-dot tag-${color}`} />
            <bdi>{name}</bdi>
          </span>
        ))}
      </p>
    </section>
  )
}
