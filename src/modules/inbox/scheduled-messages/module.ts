import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { onHook } from '../../../infra/transaction-hooks'
import { AccountDisconnected } from '../../channel/accounts/events'
import { ContactClosed } from '../contacts/events'
import { ContactsMerged, ContactsSeparated, MessageArrived } from '../messages/events'
import {
  cancelOnReplyIn,
  failForAccountIn,
  failForContactIn,
  moveScheduledIn,
  separateScheduledIn,
} from './contact-changes'
import { scheduledRoutes } from './routes'
import { scheduledWorkers } from './workers'
import { scheduledFiles, scheduledMessages } from './table'

export const scheduledMessagesModule: Module = {
  name: 'scheduled-messages',
  tables: [carried(scheduledMessages), carried(scheduledFiles)],
  routes: ({ http }) => [scheduledRoutes(http)],
  workers: scheduledWorkers,
  hooks: [
    onHook(ContactClosed, failForContactIn),
    onHook(ContactsMerged, moveScheduledIn),
    onHook(ContactsSeparated, separateScheduledIn),
    onHook(MessageArrived, cancelOnReplyIn),
    onHook(AccountDisconnected, failForAccountIn),
  ],
}
