import { Link } from '@tanstack/react-router'

import type { ListedContact } from '../../api/shapes'
import { formatShort } from '../../texts/format'
import { t } from '../../texts/texts'
import { Avatar } from '../avatar'
import type { Column } from '../table'
import { nameOf, numberBeside } from './name'

/** The column that says whose something is, and leads to the person. */
export const contactColumn = <T extends { contact: ListedContact }>(): Column<T> => ({
  ...{ id: 'contact', label: t('records.contact'), width: 2.2 },
  cell: ({ contact }) => (
    <span className="named">
      <Avatar name={contact.display_name} size="small" />
      <Link
        to="/contacts/$contactId"
        params={{ contactId: contact.id }}
        dir="auto"
        title={numberBeside(contact) ?? ''}
      >
        {nameOf(contact)}
      </Link>
    </span>
  ),
})

/** The column that says when something was. */
export const timeColumn = <T,>(label: string, timeOf: (row: T) => string): Column<T> => ({
  ...{ id: 'time', label, width: 1.2, isNumber: true },
  cell: (row) => <time dateTime={timeOf(row)}>{formatShort(timeOf(row))}</time>,
})
