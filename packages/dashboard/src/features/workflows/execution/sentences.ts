/**
 * The sentences of a history in the language of the application. The service writes them in English, so that they are
 * the same for everyone; what it has no translation for stays as it is. Pure.
 */

type Rule = readonly [english: RegExp, german: string | ((...found: string[]) => string)];

const OPERATORS: Record<string, string> = {
  equals: 'ist gleich',
  'does not equal': 'ist nicht gleich',
  contains: 'enthält',
  'does not contain': 'enthält nicht',
  'starts with': 'beginnt mit',
  'does not start with': 'beginnt nicht mit',
  'ends with': 'endet mit',
  'does not end with': 'endet nicht mit',
  'is greater than': 'ist größer als',
  'is not greater than': 'ist nicht größer als',
  'is less than': 'ist kleiner als',
  'is not less than': 'ist nicht kleiner als',
  'is at least': 'ist mindestens',
  'is not at least': 'ist kleiner als',
  'is at most': 'ist höchstens',
  'is not at most': 'ist größer als',
  'is one of': 'ist in der Liste',
  'is not one of': 'ist nicht in der Liste',
  exists: 'hat einen Wert',
  'does not exist': 'hat keinen Wert',
  'is within the last': 'liegt innerhalb von',
  'is not within the last': 'liegt nicht innerhalb von',
  'is older than': 'ist älter als',
  'is not older than': 'ist nicht älter als',
  'has occurred': 'ist eingetreten',
  'has not occurred': 'ist nicht eingetreten',
  'has occurred within the last': 'ist eingetreten innerhalb von',
  'has not occurred within the last': 'ist nicht eingetreten innerhalb von',
  'has occurred before the last': 'ist eingetreten vor mehr als',
  'has not occurred before the last': 'ist nicht eingetreten vor mehr als',
  'contains the contact': 'enthält den Kontakt',
  'does not contain the contact': 'enthält den Kontakt nicht',
};

/** The longest first, because some begin with others. */
const OPERATOR = Object.keys(OPERATORS)
  .toSorted((a, b) => b.length - a.length)
  .join('|');

const UNITS: Record<string, string> = {
  day: 'Tag',
  days: 'Tage',
  hour: 'Stunde',
  hours: 'Stunden',
  minute: 'Minute',
  minutes: 'Minuten',
  second: 'Sekunde',
  seconds: 'Sekunden',
};

const DURATION = '(\\d+ (?:days?|hours?|minutes?|seconds?|ms)(?: \\d+ (?:hours?|minutes?|seconds?))?)';
const TIME = '(\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z)';

const sayDuration = (duration: string): string => duration.replace(/[a-z]+/g, (unit) => UNITS[unit] ?? unit);

const rule = (english: string, german: Rule[1]): Rule => [new RegExp(`^${english}$`, 's'), german];

const DELIVERIES: Rule[] = [
  rule('Sent the template "(.+)"\\.', (name) => `Die Vorlage „${name}“ wurde gesendet.`),
  rule(
    'Not sent: the recipient is not subscribed, and the template "(.+)" is \\w+\\.',
    (name) => `Nicht gesendet: Der Empfänger ist nicht angemeldet, und die Vorlage „${name}“ setzt das voraus.`,
  ),
  rule(
    'Not sent: the recipient\'s address is suppressed, and the template "(.+)" is \\w+\\.',
    (name) => `Nicht gesendet: Die Adresse ist gesperrt, und die Vorlage „${name}“ geht nicht an gesperrte Adressen.`,
  ),
  rule(
    'Not sent: the project has reached its monthly limit for workflow emails\\.',
    'Nicht gesendet: Das Projekt hat seine monatliche Grenze für E-Mails aus Workflows erreicht.',
  ),
  rule(
    'Not sent: the sender domain (.+) is not verified\\.',
    (domain) => `Nicht gesendet: Die Absender-Domain ${domain} ist nicht bestätigt.`,
  ),
  rule('Not sent: the template no longer exists\\.', 'Nicht gesendet: Die Vorlage gibt es nicht mehr.'),
  rule(
    'Not sent: the template "(.+)" is an incomplete draft\\.',
    (name) => `Nicht gesendet: Die Vorlage „${name}“ ist ein unvollständiger Entwurf.`,
  ),
];

const ENDS: Rule[] = [
  rule('Started through the API\\.', 'Über die API gestartet.'),
  rule('Started by the event "(.+)"\\.', (event) => `Vom Ereignis „${event}“ gestartet.`),
  rule('Exited the workflow\\.', 'Hat den Workflow verlassen.'),
  rule('Exited the workflow: (.*)', (reason) => `Hat den Workflow verlassen: ${reason}`),
  rule('The project is disabled\\.', 'Das Projekt ist gesperrt.'),
  rule('The current step was deleted\\.', 'Der Schritt wurde gelöscht.'),
  rule('Canceled in Temporal\\.', 'In Temporal abgebrochen.'),
  rule('Canceled through the API\\.', 'Über die API abgebrochen.'),
  rule('An unexpected error stopped this step\\.', 'Ein unerwarteter Fehler hat diesen Schritt beendet.'),
];

const WAITS: Rule[] = [
  rule(`Waiting ${DURATION}, until ${TIME}\\.`, (duration, time) => `Wartet ${sayDuration(duration)}, bis ${time}.`),
  rule(
    `Waited ${DURATION}, until ${TIME}\\.`,
    (duration, time) => `Hat gewartet: ${sayDuration(duration)}, bis ${time}.`,
  ),
  rule('The wait was skipped through the API\\.', 'Das Warten wurde über die API übersprungen.'),
  rule(
    `Waiting for the event "(.+)" until ${TIME}\\.`,
    (event, time) => `Wartet auf das Ereignis „${event}“ bis ${time}.`,
  ),
  rule('Waiting for the event "(.+)"\\.', (event) => `Wartet auf das Ereignis „${event}“.`),
  rule(`The event "(.+)" occurred at ${TIME}\\.`, (event, time) => `Das Ereignis „${event}“ trat am ${time} ein.`),
  rule(
    `The event "(.+)" did not occur within ${DURATION}\\.`,
    (event, duration) => `Das Ereignis „${event}“ trat nicht ein. Gewartet: ${sayDuration(duration)}.`,
  ),
];

const DECISIONS: Rule[] = [
  rule('The condition is true', 'Die Bedingung trifft zu'),
  rule('The condition is false', 'Die Bedingung trifft nicht zu'),
  rule(`(\\S+) is (.+), which (${OPERATOR})(?: (.+))?`, (field, value, operator, operand = '') =>
    `${field} ist ${sayValue(value)}. Vergleich: ${OPERATORS[operator]} ${sayUnit(operand)}`.trimEnd(),
  ),
  rule(
    '(\\S+) is (.+), and no branch matches',
    (field, value) => `${field} ist ${sayValue(value)}, und kein Zweig passt`,
  ),
  rule('(\\S+), and no branch matches', (field) => `Zu ${field} passt kein Zweig`),
  rule(`(\\S+) (${OPERATOR})(?: (.+))?`, (field, operator, operand = '') =>
    `${field} ${OPERATORS[operator]} ${sayUnit(operand)}`.trimEnd(),
  ),
];

const VALUES: Record<string, string> = {
  missing: 'nicht vorhanden',
  'a hidden value with an @': 'ein verborgener Wert mit einem @',
};
const sayValue = (value: string): string => VALUES[value] ?? value;

/** Returns a recorded value in a language. */
export const translateValue = (value: string, language: string): string =>
  language === 'en' ? value : sayValue(value);

const sayUnit = (operand: string): string =>
  sayValue(operand.replace(/ (days|hours|minutes)$/, (_, unit: string) => ` ${UNITS[unit] ?? unit}`));

const UPDATES: Rule[] = [
  rule('Set (.+)', (names) => `Gesetzt: ${names}`),
  rule('Removed (.+)', (names) => `Entfernt: ${names}`),
  rule('Subscribed the contact', 'Der Kontakt wurde angemeldet'),
  rule('Unsubscribed the contact', 'Der Kontakt wurde abgemeldet'),
  rule('Nothing changed: the contact already had these values', 'Unverändert: Der Kontakt hatte diese Werte bereits'),
];

const REQUESTS: Rule[] = [
  rule(
    '(\\w+) to (\\S+) succeeded with (\\d+)(?: at attempt (\\d+))? after (\\d+) ms\\.',
    (method, host, status, attempt, ms) =>
      `${method} an ${host} war erfolgreich: ${status} nach ${ms} ms${attempt ? ` beim Versuch ${attempt}` : ''}.`,
  ),
  rule(
    '(?:(\\w+) to (\\S+)|The \\w+ request) failed(?: at attempt (\\d+))?\\. (.+)',
    (method, host, attempt, reason) =>
      `${method ? `${method} an ${host}` : 'Die Anfrage'} ist fehlgeschlagen${attempt ? ` (Versuch ${attempt})` : ''}. ${sayReason(reason)}`,
  ),
];

const REASONS: ReadonlyArray<readonly [english: string, german: string]> = [
  ['The request will be retried.', 'Die Anfrage wird wiederholt.'],
  ['The receiver did not respond', 'Der Empfänger hat nicht geantwortet'],
  ['The receiver responded with ', 'Der Empfänger antwortete mit '],
  ['The receiver refused the connection', 'Der Empfänger lehnte die Verbindung ab'],
  ['The receiver closed the connection', 'Der Empfänger beendete die Verbindung'],
  ['The receiver is unreachable', 'Der Empfänger ist nicht erreichbar'],
  ["The receiver's response is not valid HTTP", 'Die Antwort des Empfängers ist kein gültiges HTTP'],
  ["The receiver's certificate is not valid", 'Das Zertifikat des Empfängers ist nicht gültig'],
  ['The TLS handshake with the receiver failed', 'Der Aufbau der TLS-Verbindung ist fehlgeschlagen'],
  ['The receiver did not send a complete response within', 'Der Empfänger antwortete nicht vollständig innerhalb von'],
  ['The DNS servers do not respond', 'Die DNS-Server antworten nicht'],
  ['The connection failed', 'Die Verbindung ist fehlgeschlagen'],
  ['Not called: ', 'Nicht aufgerufen: '],
];

/** Returns the reason of a failed request in a language. */
export const translateReason = (reason: string, language: string): string =>
  language === 'en' ? reason : sayReason(reason);

const sayReason = (reason: string): string =>
  REASONS.reduce((text, [english, german]) => text.replace(english, () => german), reason);

const WHOLE = [...DELIVERIES, ...ENDS, ...WAITS, ...REQUESTS];

function translate(text: string, rules: readonly Rule[]): string | null {
  for (const [english, german] of rules) {
    const found = english.exec(text);
    if (found) return typeof german === 'string' ? german : german(...found.slice(1));
  }
  return null;
}

const FOLLOWED = / Followed the branch "([^"]*)"\.$/;
const NO_NEXT = / The branch "([^"]*)" has no next step, so the execution ends here\.$/;

/** Returns a summary of the API in a language. */
export function translateSummary(summary: string, language: string): string {
  if (language === 'en') return summary;
  const end = NO_NEXT.exec(summary);
  const start = summary.replace(NO_NEXT, '');
  const ending = end ? ` Der Zweig „${end[1]}“ hat keinen nächsten Schritt, also endet die Ausführung hier.` : '';
  const branch = FOLLOWED.exec(start);
  if (branch) {
    const reason = start.replace(FOLLOWED, '').replace(/\.$/, '');
    return `${translate(reason, DECISIONS) ?? reason}. Weiter im Zweig „${branch[1]}“.${ending}`;
  }
  const whole = translate(start, WHOLE);
  if (whole !== null) return `${whole}${ending}`;
  const sentences = start.replace(/\.$/, '').split('. ');
  const updates = sentences.map((sentence) => translate(sentence, UPDATES));
  return updates.every((sentence) => sentence !== null) ? `${updates.join('. ')}.${ending}` : summary;
}
