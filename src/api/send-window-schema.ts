/** Send windows in the OpenAPI document. */
import { DAYS, SendWindow as Window } from '../domain/send-window.js';

export const SendWindow = Window.meta({
  id: 'SendWindow',
  examples: [{ timezone: 'recipient', days: DAYS.slice(0, 5), from: '09:00', until: '18:00' }],
});
