/** What programs put into the clipboard, shortened, and the blocks that it becomes. */

const text = (value: string, ...marks: object[]) => ({
  type: 'text',
  text: value,
  ...(marks.length > 0 && { marks }),
});

export const PASTES = [
  {
    source: 'a word processor',
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Microsoft Word 15">
<style><!-- p.MsoNormal {margin:0cm; font-family:"Calibri"} --></style></head><body lang=EN-US><!--StartFragment-->
<h1 style='mso-pagination:none'><span lang=EN-GB>Autumn offer<o:p></o:p></span></h1>
<p class=MsoNormal style='margin:0cm'><span style='font-family:"Calibri"'>Our <b style='mso-bidi-font-weight:normal'>ferns</b> are <a href="https://example.com/sale"><span style='color:blue'>on sale</span></a>.<o:p></o:p></span></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Plant<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>Water<o:p></o:p></p>
<img src="file:///C:/Users/ada/image001.png" width=100><!--EndFragment--></body></html>`,
    blocks: [
      { type: 'heading', level: 1, content: [text('Autumn offer')] },
      {
        type: 'text',
        content: [
          text('Our '),
          text('ferns', { type: 'bold' }),
          text(' are '),
          text('on sale', { type: 'link', href: 'https://example.com/sale' }),
          text('.'),
        ],
      },
      { type: 'list', items: [[text('Plant')], [text('Water')]] },
    ],
  },
  {
    source: 'Gmail',
    html: `<meta charset='utf-8'><div dir="ltr" style="color:rgb(34,34,34);font-family:Arial"><div>Hi there,</div><div><br></div>
<div>the <i>second</i> paragraph<br>in two lines.</div><ol><li style="margin-left:15px"><p>One</p><ul><li>Inner</li></ul></li><li style="margin-left:15px"><span style="font-weight:700">Two</span></li></ol>
<div><a href="https://example.com/" target="_blank" data-saferedirecturl="https://www.google.com/url?q=x">A link</a></div>
<div class="gmail_default" style="display:none">hidden</div><img src="https://mail.example.com/track.gif" width="1" height="1"></div>`,
    blocks: [
      { type: 'text', content: [text('Hi there,')] },
      { type: 'text', content: [text('the '), text('second', { type: 'italic' }), text(' paragraph\nin two lines.')] },
      { type: 'list', isOrdered: true, items: [[text('One')], [text('Inner')], [text('Two', { type: 'bold' })]] },
      { type: 'text', content: [text('A link', { type: 'link', href: 'https://example.com/' })] },
    ],
  },
];
