import { PageOf } from '../../../http/pagination'
import { startPart } from '../../../http/start-parts'
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
import { ScheduledMessage } from './model'
import { listScheduled } from './queries'

export const scheduledMessagesModule: Module = {
  name: 'scheduled-messages',
  tables: [carried(scheduledMessages), carried(scheduledFiles)],
  startParts: () => [
    startPart({
      name: 'scheduled_messages',
      needs: 'messages:create',
      schema: PageOf(ScheduledMessage),
      read: (ctx) =>
        listScheduled(ctx, { page: 1, limit: 100, order: 'asc', mine: true, state: 'scheduled' }),
    }),
  ],
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
