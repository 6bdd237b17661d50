import { useSearch } from '@tanstack/react-router'

import { Button } from '../../parts/button'
import { FoundFilter, useShow } from '../../parts/list-page'
import { t } from '../../texts/texts'

interface Props {
  /** Whether the conditions can be changed now. */
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

/** The filters that are used most, and the way to the others. */
export function Filters({ isOpen, onOpen }: Props) {
  const { tag, owner } = useSearch({ from: '/contacts' })
  const show = useShow<{ tag?: string | undefined; owner?: string | undefined }>()
  return (
    <>
      <FoundFilter
        kind="tag"
        label={t('inbox.filter.tag')}
        any={t('contacts.any-tag')}
        value={tag}
        onChange={(id) => {
          show({ tag: id })
        }}
      />
      <FoundFilter
        kind="colleague"
        label={t('contacts.owner')}
        any={t('contacts.any-owner')}
        first={[{ id: 'none', label: t('inbox.assign.nobody') }]}
        value={owner}
        onChange={(id) => {
          show({ owner: id })
        }}
      />
      <Button
        icon="filter"
        aria-expanded={isOpen}
        onPress={() => {
          onOpen(!isOpen)
        }}
      >
        {t('filter.button')}
      </Button>
    </>
  )
}
