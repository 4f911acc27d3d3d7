/** The sentences of the API in German: errors, rules of fields, and problems of contents. */
import type { Sentences } from './api-messages.js';

export const messages: Sentences = {
  // Rules of fields
  Required: 'Wird benötigt.',
  'Required without a session': 'Wird ohne Anmeldung benötigt.',
  'Request validation failed': 'Die Angaben verletzen eine Regel.',
  'Too small: expected string to have >=1 characters': 'Darf nicht leer sein.',
  'Too small: expected string to have >={0} characters': 'Braucht mindestens {0} Zeichen.',
  'Too big: expected string to have <={0} characters': 'Darf höchstens {0} Zeichen haben.',
  'Too small: expected number to be >={0}': 'Muss mindestens {0} sein.',
  'Too small: expected number to be >{0}': 'Muss größer als {0} sein.',
  'Too big: expected number to be <={0}': 'Darf höchstens {0} sein.',
  'Too small: expected array to have >={0} items': 'Braucht mindestens {0} Einträge.',
  'Too big: expected array to have <={0} items': 'Darf höchstens {0} Einträge haben.',
  'Invalid input: expected {0}, received {1}': 'Ungültige Angabe: {0} erwartet, {1} erhalten.',
  'Invalid input': 'Ungültige Angabe.',
  'Invalid option: expected one of {0}': 'Ungültige Auswahl. Möglich sind {0}.',
  'Invalid URL': 'Muss eine URL sein.',
  'must be an email address': 'Muss eine E-Mail-Adresse sein.',
  'must be a uuid': 'Muss eine UUID sein.',
  'must be a color such as "#1f4fd8"': 'Muss eine Farbe wie „#1f4fd8“ sein.',
  'must be a language tag such as "en" or "pt-BR"': 'Muss ein Sprachkürzel wie „de“ oder „pt-BR“ sein.',
  'must be the name of a time zone, such as Europe/Berlin': 'Muss der Name einer Zeitzone sein, etwa Europe/Berlin.',
  'must be a positive whole number': 'Muss eine positive ganze Zahl sein.',
  'must be an ISO 8601 timestamp': 'Muss ein Zeitpunkt nach ISO 8601 sein.',
  'must be another name': 'Muss ein anderer Name sein.',
  'must not be a reserved name': 'Darf kein reservierter Name sein.',
  'A saved block with the name "{0}" exists.': 'Es gibt schon einen gespeicherten Baustein mit dem Namen „{0}“.',
  'A project can have {0} saved blocks. Delete one first.':
    'Ein Projekt kann {0} gespeicherte Bausteine haben. Löschen Sie zuerst einen.',
  'Unknown type. Did you mean "{0}"?': 'Unbekannter Typ. Meinten Sie „{0}“?',
  'The name of an event has 1 to {0} characters and no space around it.':
    'Der Name eines Ereignisses hat 1 bis {0} Zeichen und außen keine Leerzeichen.',
  'must be a URL': 'Muss eine URL sein.',
  'must begin with https://': 'Muss mit https:// beginnen.',
  'must begin with https:// or http://': 'Muss mit https:// oder http:// beginnen.',
  'must not contain a user name or a password; verify the signature instead':
    'Darf keinen Benutzernamen und kein Kennwort enthalten. Prüfen Sie stattdessen die Signatur.',
  'must lead to the public internet: {0} is {1}': 'Muss ins öffentliche Internet führen: {0} ist {1}.',
  'must be after `since`': 'Muss nach dem Beginn liegen.',
  'must be in the past': 'Muss in der Vergangenheit liegen.',
  'must be a single type, not a pattern': 'Muss ein einzelner Typ sein, kein Muster.',
  'A pattern is `*`, or one word and `.*`, such as `email.*`.':
    'Ein Muster ist `*`, oder ein Wort und `.*`, etwa `email.*`.',
  'The range has more than {0} deliveries. Choose a shorter one.':
    'Der Zeitraum hat mehr als {0} Zustellungen. Wählen Sie einen kürzeren.',
  'Another replay of this endpoint has not ended.': 'Eine andere Wiederholung ist noch nicht beendet.',
  'The webhook endpoint was deleted.': 'Der Webhook-Endpunkt wurde gelöscht.',
  'The endpoint is disabled. Enable it first.': 'Der Endpunkt ist abgeschaltet. Schalten Sie ihn zuerst ein.',
  'A project can have {0} webhook endpoints. Delete one first.':
    'Ein Projekt kann {0} Webhook-Endpunkte haben. Löschen Sie zuerst einen.',
  'Webhook not found': 'Der Endpunkt wurde nicht gefunden.',
  'Delivery not found': 'Die Zustellung wurde nicht gefunden.',
  'The receiver replied 410 Gone.': 'Der Empfänger hat mit 410 Gone geantwortet.',
  'No delivery has succeeded for five days.': 'Seit fünf Tagen ist keine Zustellung gelungen.',
  'The receiver responded with {0}.': 'Der Empfänger hat mit {0} geantwortet.',
  'The receiver redirected ({0}). Redirects are not followed.':
    'Der Empfänger hat weitergeleitet ({0}). Weiterleitungen wird nicht gefolgt.',
  'The receiver did not send a complete response within {0} seconds.':
    'Der Empfänger hat nicht innerhalb von {0} Sekunden vollständig geantwortet.',
  'The receiver refused the connection ({0}).': 'Der Empfänger hat die Verbindung abgelehnt ({0}).',
  'The receiver closed the connection ({0}).': 'Der Empfänger hat die Verbindung geschlossen ({0}).',
  'The receiver is unreachable ({0}).': 'Der Empfänger ist nicht erreichbar ({0}).',
  'The DNS servers do not respond.': 'Die DNS-Server antworten nicht.',
  'must be in the future': 'Muss in der Zukunft liegen.',
  'must be at least 1': 'Muss mindestens 1 sein.',
  'must be an object': 'Muss ein Objekt sein.',
  'must be text': 'Muss Text sein.',
  'must not be empty': 'Darf nicht leer sein.',
  'must not contain newline characters': 'Darf keine Zeilenumbrüche enthalten.',
  'must not contain newlines or quotes': 'Darf keine Zeilenumbrüche und Anführungszeichen enthalten.',
  'must not contain line breaks or other control characters': 'Darf keine Zeilenumbrüche oder Steuerzeichen enthalten.',
  'must not contain spaces, angle brackets, or quotes':
    'Darf keine Leerzeichen, spitzen Klammern und Anführungszeichen enthalten.',
  'must not contain NUL characters': 'Darf keine NUL-Zeichen enthalten.',
  'must be well-formed Unicode': 'Muss wohlgeformtes Unicode sein.',
  'must not be nested deeper than {0} levels': 'Darf nicht tiefer als {0} Ebenen geschachtelt sein.',
  'must have at most {0} characters': 'Darf höchstens {0} Zeichen haben.',
  'must have at most {0} filters': 'Darf höchstens {0} Filter haben.',
  'must have at most {0} branches': 'Darf höchstens {0} Zweige haben.',
  'must have at least 1 branch': 'Braucht mindestens einen Zweig.',
  'must have at least one filter; for all contacts, use audienceType ALL':
    'Braucht mindestens einen Filter. Wählen Sie sonst alle Kontakte.',
  'must set or remove at least one field': 'Muss mindestens ein Feld setzen oder entfernen.',
  'must start with http:// or https:// and a host; placeholders can only follow the host':
    'Muss mit http:// oder https:// und einem Host beginnen; Platzhalter dürfen erst nach dem Host stehen.',
  'must not contain a user name or password; use a header such as Authorization':
    'Darf keinen Benutzernamen und kein Passwort enthalten. Verwenden Sie einen Header wie Authorization.',
  'is required': 'Wird benötigt.',
  'is required without a template': 'Wird ohne Vorlage benötigt.',
  'is required if audienceType is {0}': 'Wird für diese Zielgruppe benötigt.',
  'is too long': 'Ist zu lang.',
  'is not valid': 'Ist ungültig.',
  'is given twice': 'Ist zweimal angegeben.',
  'is a reserved event name': 'Dieser Ereignisname ist reserviert.',
  'Another step has the same id or key.': 'Ein anderer Schritt hat dieselbe Kennung.',

  // Accounts and projects
  'The email address or password is incorrect.': 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  'An account with this address already exists.': 'Ein Konto mit dieser Adresse besteht bereits.',
  'Sign-ups are disabled on this installation.': 'Neue Konten sind auf dieser Installation nicht möglich.',
  'Verify your email address first.': 'Bestätigen Sie zuerst Ihre E-Mail-Adresse.',
  'This link is invalid: it is unknown, was already used, or is older than one hour. Request a new email.':
    'Dieser Link ist ungültig: Er ist unbekannt, schon benutzt oder älter als eine Stunde. Fordern Sie eine neue E-Mail an.',
  'This session has ended. Log in again.': 'Diese Sitzung ist beendet. Melden Sie sich erneut an.',
  'This endpoint requires a session. Log in first.': 'Melden Sie sich zuerst an.',
  'Too many attempts. Wait before you try again.': 'Zu viele Versuche. Warten Sie, bevor Sie es erneut versuchen.',
  'You are not a member of this project.': 'Sie sind kein Mitglied dieses Projekts.',
  'This requires the role {0}. Your role is {1}.': 'Dafür brauchen Sie die Rolle {0}. Ihre Rolle ist {1}.',
  'You cannot remove yourself. Ask another admin or the owner.':
    'Sie können sich nicht selbst entfernen. Bitten Sie einen anderen Admin oder den Owner.',
  'The owner cannot be removed.': 'Der Owner kann nicht entfernt werden.',
  'This user is already a member of the project.': 'Diese Person ist bereits Mitglied des Projekts.',
  'This project is disabled. Its security page shows the reason.':
    'Dieses Projekt ist gesperrt. Den Grund zeigt die Seite „Zustellbarkeit“.',
  'The project is disabled. Its security page shows the reason.':
    'Dieses Projekt ist gesperrt. Den Grund zeigt die Seite „Zustellbarkeit“.',
  'The project has {0} exports that have not ended. Wait until one ends, or cancel one.':
    'Im Projekt laufen bereits {0} Exporte. Warten Sie auf das Ende, oder brechen Sie einen ab.',

  // Resources
  'Contact not found': 'Diesen Kontakt gibt es nicht.',
  'Template not found': 'Diese Vorlage gibt es nicht.',
  'Version not found': 'Diese Version gibt es nicht.',
  'Campaign not found': 'Diese Kampagne gibt es nicht.',
  'Segment not found': 'Dieses Segment gibt es nicht.',
  'Workflow not found': 'Diesen Workflow gibt es nicht.',
  'Step not found': 'Diesen Schritt gibt es nicht.',
  'Transition not found': 'Diesen Übergang gibt es nicht.',
  'Execution not found': 'Diese Ausführung gibt es nicht.',
  'Domain not found': 'Diese Domain gibt es nicht.',
  'Email not found': 'Diese E-Mail gibt es nicht.',
  'Job not found': 'Diese Aufgabe gibt es nicht.',
  'Project not found': 'Dieses Projekt gibt es nicht.',
  'User not found': 'Dieses Konto gibt es nicht.',
  'Session not found': 'Diese Sitzung gibt es nicht.',
  'Suppression not found': 'Diese Sperre gibt es nicht.',
  'Upload not found': 'Diese Datei gibt es nicht.',
  'This path does not exist.': 'Diesen Pfad gibt es nicht.',

  // Conflicts
  'Another contact of the project has this email address.':
    'Ein anderer Kontakt des Projekts hat diese E-Mail-Adresse.',
  'Another operation has locked this resource. Nothing was changed. Try again.':
    'Ein anderer Vorgang sperrt dies gerade. Nichts wurde geändert. Versuchen Sie es erneut.',
  'The resource has changed since the version in If-Match. Nothing was changed. Read it again and repeat the change.':
    'Dies wurde in der Zwischenzeit geändert. Ihre Änderung wurde nicht gespeichert. Laden Sie es neu, und wiederholen Sie die Änderung.',
  'A campaign with the status {0} cannot be {1}.': 'Im Status {0} ist dies mit einer Kampagne nicht möglich.',
  'The campaign has no recipients. No contact of its audience can receive it.':
    'Die Kampagne hat keine Empfänger: Kein Kontakt der Zielgruppe kann sie erhalten.',
  'The campaign is scheduled or sending. Cancel it first.':
    'Die Kampagne ist geplant oder wird gesendet. Brechen Sie sie zuerst ab.',
  'The last emails of the campaign are still in flight. Try again in a few seconds.':
    'Die letzten E-Mails der Kampagne sind noch unterwegs. Versuchen Sie es in einigen Sekunden erneut.',
  'must not be in the past': 'Darf nicht in der Vergangenheit liegen.',
  'must be at most {0} days ahead': 'Darf höchstens {0} Tage in der Zukunft liegen.',
  'Only scheduled emails can be moved. This one is {0}.':
    'Nur geplante E-Mails können verschoben werden. Diese ist {0}.',
  'The email can no longer be canceled. It is {0}.': 'Die E-Mail kann nicht mehr abgebrochen werden. Sie ist {0}.',
  'Emails of a campaign are canceled with the campaign.': 'E-Mails einer Kampagne werden mit der Kampagne abgebrochen.',
  'Each variant needs at least {0} recipients, so the audience needs {1} contacts.':
    'Jede Fassung braucht mindestens {0} Empfänger, die Zielgruppe also {1} Kontakte.',
  'The winner of the test is already chosen.': 'Der Gewinner des Tests ist schon bestimmt.',
  'The test has not begun, or the campaign has ended.': 'Der Test hat nicht begonnen, oder die Kampagne ist beendet.',
  'cannot be "recipient" for a test with a winner':
    'Die Ortszeit der Empfänger ist bei einem Test mit Gewinner nicht möglich.',
  'Emails of a campaign are moved with the campaign.': 'E-Mails einer Kampagne werden mit der Kampagne verschoben.',
  'scheduledFor is in the past. Leave it out to send now.': 'Dieser Zeitpunkt liegt in der Vergangenheit.',
  'must be a local time such as 2030-01-31T09:00': 'muss Datum und Uhrzeit sein, zum Beispiel 2030-01-31T09:00',
  'The domain {0} is already in this project.': 'Die Domain {0} gehört bereits zu diesem Projekt.',
  'The domain {0} is verified in another project. Remove it there first.':
    'Die Domain {0} ist in einem anderen Projekt bestätigt. Entfernen Sie sie zuerst dort.',
  'The domain {0} is the sender of templates, workflow steps, or unsent campaigns.':
    'Die Domain {0} ist der Absender von Vorlagen, Workflow-Schritten oder noch nicht gesendeten Kampagnen.',
  'The domain {0} is not verified. Complete its DNS verification first.':
    'Die Domain {0} ist nicht bestätigt. Schließen Sie zuerst die Prüfung ihrer DNS-Einträge ab.',
  'Workflow steps use this template. Change or delete them first.':
    'Schritte von Workflows verwenden diese Vorlage. Ändern oder löschen Sie diese zuerst.',
  'The segment is the audience of a scheduled or sending campaign. Cancel the campaign first.':
    'Das Segment ist die Zielgruppe einer Kampagne, die geplant ist oder gesendet wird. Brechen Sie zuerst die Kampagne ab.',
  'The conditions of other segments name this segment. Change them first.':
    'Andere Segmente verwenden dieses Segment in ihren Bedingungen. Ändern Sie diese zuerst.',
  'CONDITION steps of workflows name this segment. Change or delete them first.':
    'Bedingungen von Workflows verwenden dieses Segment. Ändern oder löschen Sie diese zuerst.',
  'The condition of a dynamic segment determines its members. Only static segments can be changed.':
    'Die Mitglieder eines dynamischen Segments ergeben sich aus seiner Bedingung. Nur statische Segmente können geändert werden.',
  'The condition of a dynamic segment determines its members. Import into a static segment.':
    'Die Mitglieder eines dynamischen Segments ergeben sich aus seiner Bedingung. Importieren Sie in ein statisches Segment.',
  'The segments name each other in a cycle: {0}.': 'Die Segmente verweisen im Kreis aufeinander: {0}.',
  'Segments, campaigns, or workflows use the field "{0}". Change them first.':
    'Segmente, Kampagnen oder Workflows verwenden das Feld „{0}“. Ändern Sie diese zuerst.',
  'The standard field "{0}" cannot be renamed or deleted.':
    'Das Standardfeld „{0}“ lässt sich nicht umbenennen oder löschen.',
  'Events of this name are used. Remove the references first.':
    'Ereignisse dieses Namens werden verwendet. Entfernen Sie zuerst die Verweise.',
  'The contact already has an active execution of this workflow.': 'Der Kontakt durchläuft diesen Workflow bereits.',
  'The contact has already had an execution of this workflow, and the workflow does not allow re-entry.':
    'Der Kontakt hat diesen Workflow bereits durchlaufen, und der Workflow erlaubt keine Wiederholung.',
  'The workflow is disabled. Enable it before you start executions.':
    'Der Workflow ist nicht aktiviert. Aktivieren Sie ihn, bevor Sie Ausführungen starten.',
  'The execution has already ended with the status {0}.': 'Die Ausführung ist bereits beendet, mit dem Status {0}.',
  'The TRIGGER cannot be deleted, because it is the first step.':
    'Der Auslöser kann nicht gelöscht werden, denn er ist der erste Schritt.',
  'The job has ended as {0}. Only waiting and active jobs can be canceled.':
    'Die Aufgabe ist beendet ({0}). Nur wartende und laufende Aufgaben können abgebrochen werden.',
  'A marketing template cannot be sent to a contact that is not subscribed.':
    'Eine Marketing-Vorlage kann nicht an einen Kontakt gesendet werden, der nicht angemeldet ist.',
  'This file is not a PNG, JPEG, GIF, or WebP image, or it also contains another file.':
    'Diese Datei ist kein Bild im Format PNG, JPEG, GIF oder WebP, oder sie enthält noch eine andere Datei.',

  // Passing failures
  'The database is currently unavailable. Try again. With an Idempotency-Key, a retry is safe even if the first request succeeded.':
    'Die Datenbank ist gerade nicht erreichbar. Versuchen Sie es erneut.',
  'The database cannot process this request right now. Try again.':
    'Die Datenbank kann diese Anfrage gerade nicht verarbeiten. Versuchen Sie es erneut.',
  'The storage of uploads is not available. Try again.':
    'Der Speicher für Dateien ist nicht erreichbar. Versuchen Sie es erneut.',
  'An unexpected error occurred. It is logged under this request id.':
    'Ein unerwarteter Fehler ist aufgetreten. Er ist unter dieser Anfragenummer protokolliert.',
  'The payment provider does not answer right now. Nothing was changed; try again.':
    'Der Zahlungsanbieter antwortet gerade nicht. Nichts wurde geändert. Versuchen Sie es erneut.',
  'This project and credential have used all {0} requests per minute. Wait before you retry.':
    'Alle {0} Anfragen dieser Minute sind verbraucht. Warten Sie, bevor Sie es erneut versuchen.',

  // Problems of contents
  'The subject is missing.': 'Der Betreff fehlt.',
  'The body is missing.': 'Der Inhalt fehlt.',
  'The sender is missing.': 'Der Absender fehlt.',
  'The audience is missing.': 'Die Zielgruppe fehlt.',
  'No contact has the variable "{0}". It has no value unless the request or the event passes it.':
    'Kein Kontakt hat die Variable „{0}“. Sie hat nur einen Wert, wenn die Anfrage oder das Ereignis ihn mitgibt.',
  'No contact has the variable "{0}". It prints nothing. Check its spelling, or give it a default: {{ name ?? "friend" }}.':
    'Kein Kontakt hat die Variable „{0}“. Sie gibt nichts aus. Prüfen Sie die Schreibweise, oder geben Sie einen Ersatz an: {{ name ?? "friend" }}.',
  'No contact has the variable "{0}". Check its spelling.':
    'Kein Kontakt hat die Variable „{0}“. Prüfen Sie die Schreibweise.',
  'Marketing email must show your postal address. Set it in the settings of the project.':
    'Werbe-E-Mails müssen Ihre Postanschrift zeigen. Tragen Sie sie in den Einstellungen des Projekts ein.',
  'The body has its own unsubscribe link, so no footer is added. Add your postal address to the body.':
    'Der Inhalt hat einen eigenen Abmeldelink und bekommt deshalb keine Fußzeile. Ergänzen Sie Ihre Postanschrift im Inhalt.',
  'HEADLESS email has no footer. Add a link to {{ unsubscribeUrl }} or {{ manageUrl }}.':
    'E-Mails vom Typ HEADLESS haben keine Fußzeile. Ergänzen Sie einen Link auf {{ unsubscribeUrl }} oder {{ manageUrl }}.',
  'The HTML has {0} KB. Gmail shows only the first 102 KB and hides the rest, which includes the unsubscribe link. Make it shorter.':
    'Das HTML hat {0} KB. Gmail zeigt nur die ersten 102 KB und verbirgt den Rest mit dem Abmeldelink. Kürzen Sie es.',
  'The image has no `alt` text. Describe it, or write `alt=""` if it is only decoration.':
    'Das Bild hat keinen Text in `alt`. Beschreiben Sie es, oder schreiben Sie `alt=""`, wenn es nur schmückt.',
  'The link has no target. Set its `href`.': 'Der Link hat kein Ziel. Setzen Sie `href`.',
  'A link has no target with this data, because its variable has no value.':
    'Ein Link hat mit diesen Daten kein Ziel, weil seine Variable keinen Wert hat.',
  'The link is not encrypted. Use https instead of http.':
    'Der Link ist nicht verschlüsselt. Verwenden Sie https statt http.',
  'The tags of the design do not match. Close each tag in the text that opens it.':
    'Die Tags passen nicht zusammen. Schließen Sie jedes Tag in dem Text, der es öffnet.',
  'The content takes too long to render.': 'Die Darstellung des Inhalts dauert zu lange.',

  // Rows of imports
  'The email is missing': 'Die E-Mail-Adresse fehlt.',
  'This is not an email address': 'Dies ist keine E-Mail-Adresse.',
  'The row has {0} cells, the header {1}': 'Die Zeile hat {0} Zellen, die Kopfzeile {1}.',
  '"subscribed" must be true, 1, yes, false, 0, or no': '„subscribed“ muss true, 1, yes, false, 0 oder no sein.',
  '"snoozedUntil" must be a time in ISO 8601': '„snoozedUntil“ muss ein Zeitpunkt nach ISO 8601 sein.',
  'The column for "data" must contain a JSON object': 'Die Spalte für „data“ muss ein JSON-Objekt enthalten.',
  'The column "{0}" {1}': 'Spalte „{0}“: {1}',
  'must contain a number': 'Muss eine Zahl enthalten.',
  'must be true, 1, yes, false, 0, or no': 'Muss true, 1, yes, false, 0 oder no sein.',
  'must contain a date in ISO 8601, such as 2030-01-31 or 2030-01-31T09:00:00Z':
    'Muss ein Datum nach ISO 8601 enthalten, etwa 2030-01-31 oder 2030-01-31T09:00:00Z.',
  'must contain JSON': 'Muss JSON enthalten.',
  'must contain JSON that can be stored': 'Muss JSON enthalten, das gespeichert werden kann.',
  "A contact's data has at most 100 keys and 64 KiB": 'Die Daten eines Kontakts haben höchstens 100 Felder und 64 KiB.',
  'The row is longer than 256 KiB': 'Die Zeile ist länger als 256 KiB.',
  'A quote is not closed': 'Ein Anführungszeichen ist nicht geschlossen.',
  'Unexpected text after a closing quote': 'Nach einem schließenden Anführungszeichen steht Text.',

  // Problems of workflows
  'The step {0} has an invalid config: {1} is missing.': 'Dem Schritt {0} fehlt ein Wert: {1}.',
  'The step {0} has an invalid config: {1}': 'Die Angaben des Schritts {0} sind ungültig: {1}',
  'The step {0}: {1}': 'Schritt {0}: {1}',
  'Template {0}: {1}': 'Vorlage {0}: {1}',
  'The template does not exist.': 'Die Vorlage gibt es nicht.',
  'No path leads to the step {0}.': 'Zum Schritt {0} führt kein Weg.',
  'No step follows the TRIGGER: executions end immediately.':
    'Auf den Auslöser folgt kein Schritt: Ausführungen enden sofort.',
  'No step follows the branch {0} of the step {1}: executions end there.':
    'Auf den Zweig {0} des Schritts {1} folgt kein Schritt: Ausführungen enden dort.',
};
